"""What the tests of deploy/ share: the tools that they need, and how they tell what happened.

Without a tool the tests that need it are skipped by name; with OME_DEPLOY=required they fail, and with
OME_DEPLOY=off all of them are left out."""
import importlib
import os
import pathlib
import shutil
import subprocess
import sys
import time
import traceback
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
sys.path.insert(0, str(ROOT / "tests/support"))

DEBIAN_MODULES = "/usr/lib/python3/dist-packages"
SKIPPED = 77
REQUIRED = os.environ.get("OME_DEPLOY") == "required"


def lacking(what):
    if REQUIRED:
        raise AssertionError(f"{what} (OME_DEPLOY=required)")
    raise unittest.SkipTest(what)


def tool(name):
    """Of Debian's packages, or the tests that need it are left out."""
    return shutil.which(name) or lacking(f"no {name}: run tools/setup deploy")


def helm():
    found = subprocess.run([ROOT / "tools/helm", "--path"], capture_output=True, text=True, check=False)
    return found.stdout.strip() if found.returncode == 0 else lacking("no Helm: run tools/helm")


def yaml():
    """Debian's, where the Python that runs has none of its own."""
    sys.path += [] if DEBIAN_MODULES in sys.path else [DEBIAN_MODULES]
    try:
        return importlib.import_module("yaml")
    except ImportError:
        return lacking("no PyYAML: run tools/setup deploy")


def program(variable, built):
    """One of ours, as the build names it or where it is built by hand."""
    path = pathlib.Path(os.environ.get(variable, ROOT / "build" / built))
    return str(path) if path.exists() else lacking(f"{path} is not built")


def observer():
    return program("OME_OBSERVER", "src/observer/ome-observer")


def trafficmap():
    return program("OME_TRAFFICMAP", "src/controller/ome-trafficmap")


def homesim():
    return program("OME_HOMESIM", "tools/homesim/ome-homesim")


def kubectl_ome():
    return program("OME_KUBECTL_OME", "src/kubectl/kubectl-ome")


def run(*command, text=None, timeout=60, **more):
    """(exit code, standard output, standard error)"""
    done = subprocess.run([str(word) for word in command], input=text, capture_output=True, text=True,
                          timeout=timeout, check=False, **more)
    return done.returncode, done.stdout, done.stderr


def until(condition, seconds=60):
    """What the condition gives as soon as it gives something; AssertionError when it never does."""
    end = time.monotonic() + seconds
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError(f"{condition.__doc__ or condition.__name__}: not within {seconds} s")
        time.sleep(0.1)


class Told(unittest.TestResult):
    """In the words of GoogleTest, which tools/test_report counts."""

    def startTest(self, test):
        super().startTest(test)
        self.begun = time.monotonic()

    def tell(self, outcome, test):
        name = test.id().replace("__main__.", "")
        print(f"[{outcome}] {name} ({int((time.monotonic() - getattr(self, 'begun', time.monotonic())) * 1000)} ms)",
              flush=True)

    def addSuccess(self, test):
        super().addSuccess(test)
        self.tell("       OK ", test)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        print(reason)
        self.tell("  SKIPPED ", test)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.tell_why(test, err)

    def addError(self, test, err):
        super().addError(test, err)
        self.tell_why(test, err)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            print(f"{subtest}:")
            self.tell_why(test, err)

    def tell_why(self, test, err):
        print("".join(traceback.format_exception(*err)))
        self.tell("  FAILED  ", test)


def main(documentation):
    """Runs the tests of the calling script: all, or those whose name contains a word of its line."""
    words = sys.argv[1:]
    if "-h" in words or "--help" in words:
        print(documentation)
        sys.exit(0)
    if any(word.startswith("-") for word in words):
        print(documentation, file=sys.stderr)
        sys.exit(2)
    if os.environ.get("OME_DEPLOY") == "off":
        print("left out: OME_DEPLOY=off")
        sys.exit(SKIPPED)
    loader = unittest.TestLoader()
    loader.testNamePatterns = [f"*{word}*" for word in words] or None
    result = Told()
    loader.loadTestsFromModule(sys.modules["__main__"]).run(result)
    if result.testsRun == 0 and not result.skipped and not result.errors:
        print("no test of that name", file=sys.stderr)
        sys.exit(2)
    sys.exit(0 if result.wasSuccessful() else 1)
