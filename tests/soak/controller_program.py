"""`ome-trafficmap run` over a folder, as the scripts start it."""
import pathlib
import subprocess
import time

from program_scripts import Program, end, fetch, free_port


class Controller(Program):
    """Over FOLDER/store unless `store` has other flags for that, with FOLDER/config.json. `output`: a
    descriptor that it logs to, in place of what log() reads."""

    def __init__(self, binary, folder, observer, *flags, launcher=(), output=None, store=()):
        self.folder = pathlib.Path(folder)
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.log_path = self.folder / "controller.log"
        self.command = [*launcher, binary, "run", *(store or [f"--store=dir:{self.folder}/store"]),
                        "--config", f"{self.folder}/config.json", "--observer", observer, "--listen",
                        f"127.0.0.1:{self.port}", *flags]
        self.output = output
        self.start()

    def start(self):
        with open(self.log_path, "ab") as log:
            to = log if self.output is None else self.output
            self.process = subprocess.Popen(self.command, stdout=to, stderr=to,
                                            stdin=subprocess.DEVNULL)
        until = time.monotonic() + 60
        while time.monotonic() < until and self.alive():
            try:
                return fetch(self.address + "/readyz", timeout=5)
            except OSError:
                time.sleep(0.05)
        said = self.log()
        self.stop()
        raise RuntimeError(f"the controller did not get ready: {said[-2000:]}")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        return end(self.process, 20)
