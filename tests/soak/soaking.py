"""What the long runs share: homes that misbehave, certificates that change, slopes of samples."""
import pathlib
import subprocess

BEHAVIOURS = (
    {"stall": "before-head"}, {"stall": "in-head"}, {"stall": "in-body"}, {"reset": True},
    {"reset": "in-body"}, {"close": "after-head"}, {"close": "in-head"}, {"drip": "50ms"},
    {"status": [200, 503], "cycle": True}, {"status": 500}, {"gone": True}, {"oversize": 200000},
    {"broken": "length-twice"}, {"latency": {"median": "50ms", "sigma": 1.0, "max": "2s"}},
    {"age": "1h"}, {"skew": "1h"})
POLLS_ONLY = ("age", "skew")


class Certificates:
    """The files of --tls-dir: good ones, those of another authority, and broken ones."""

    def __init__(self, folder, good, choose):
        self.folder, self.choose = pathlib.Path(folder), choose
        self.folder.mkdir()
        self.good = good.read_bytes()
        pairs = [self.make(str(good.parent / f"pair-{index}")) for index in range(2)]
        self.pairs = [(key.read_bytes(), certificate.read_bytes()) for key, certificate in pairs]

    @staticmethod
    def make(stem):
        key, certificate = pathlib.Path(stem + ".key"), pathlib.Path(stem + ".crt")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=churn", "-days", "2",
                        "-keyout", key, "-out", certificate], check=True, capture_output=True)
        return key, certificate

    def write(self, name, content):
        new = self.folder / (name + ".new~")
        new.write_bytes(content)
        new.chmod(0o600)
        new.rename(self.folder / name)

    def change(self, clusters):
        """One cluster's files become something else."""
        cluster = self.choose.choice(clusters)
        what = self.choose.randrange(5)
        if what == 0:
            self.write(f"{cluster}.ca.pem", self.good)
        elif what == 1:
            self.write(f"{cluster}.ca.pem", self.choose.choice(self.pairs)[1])
        elif what == 2:
            self.write(f"{cluster}.ca.pem", b"no certificate\n")
        elif what == 3:
            key, certificate = self.choose.choice(self.pairs)
            self.write(f"{cluster}.crt", certificate)
            self.write(f"{cluster}.key", key)
        else:
            for suffix in ("ca.pem", "crt", "key"):
                (self.folder / f"{cluster}.{suffix}").unlink(missing_ok=True)


def slope(samples, column):
    """Of a straight line through the second half, a minute."""
    half = samples[len(samples) // 2:]
    mean_x = sum(s["seconds"] for s in half) / len(half)
    mean_y = sum(s[column] for s in half) / len(half)
    spread = sum((s["seconds"] - mean_x) ** 2 for s in half)
    return 60 * sum((s["seconds"] - mean_x) * (s[column] - mean_y) for s in half) / spread if spread else 0.0


def floor_growth(samples, column):
    """From the lowest sample in the first third of the second half to the lowest in its last third. What
    leaks lifts the lowest; what comes and goes with the load does not."""
    half = samples[len(samples) // 2:]
    third = max(1, len(half) // 3)
    return (min(sample[column] for sample in half[-third:]) -
            min(sample[column] for sample in half[:third]))


def row(cells):
    print("  ".join(f"{cell:>11.1f}" if isinstance(cell, float) else f"{cell:>11}" for cell in cells),
          flush=True)
