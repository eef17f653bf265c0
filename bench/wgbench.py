"""What the scripts of this folder share: running the program and measuring it, and printing tables."""

import json
import math
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
SCRATCH = os.path.join(ROOT, "build", "bench")  # generated traces and raw results


def program():
    """Path of the program under test: $WG_BINARY, or the one of ./dev build."""
    path = os.environ.get("WG_BINARY") or os.path.join(ROOT, "build", "warpgauge")
    if not os.access(path, os.X_OK):
        sys.exit(f"{path} is not there; build it with ./dev build")
    return path


def data_dir(needed_for):
    """Folder of recorded traces, or the end of the script with a reason."""
    path = os.environ.get("WG_DATA_DIR")
    if not path:
        print(f"WG_DATA_DIR is not set: {needed_for} needs recorded traces and is skipped.")
        sys.exit(0)
    if not os.path.isdir(os.path.join(path, "traces")):
        sys.exit(f"WG_DATA_DIR={path} has no folder 'traces'")
    return path


@dataclass
class Run:
    """One finished process. `cpu` is user plus system time, `rss` the peak in bytes."""

    code: int
    cpu: float
    wall: float
    rss: int
    result: dict  # of --json; empty when the run failed
    message: str  # end of the error output

    @property
    def kernels(self):
        return self.result.get("kernels", [])

    def total(self, key):
        """Sum of a kernel's number over all kernels."""
        return sum(kernel[key] for kernel in self.kernels)

    def same_answer(self, other):
        """Whether two runs agree in everything that must not depend on threads or the clock."""
        for key in ("machine_hash", "workload_hash"):
            if self.result["run"][key] != other.result["run"][key]:
                sys.exit("the machine file or the workload changed while they were measured")
        return all(json.dumps(self.result[key]) == json.dumps(other.result[key]) for key in ("totals", "kernels"))


def run(workload, gpu, threads=1, options=()):
    """Runs a workload and measures the whole process, reading of the trace included."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "result.json")
        command = [program(), "run", workload, "--gpu", gpu, "--threads", str(threads), "--json", out, *options]
        with open(os.path.join(folder, "err"), "w+", encoding="utf-8") as err:
            start = time.monotonic()
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err)
            _, status, usage = os.wait4(process.pid, 0)
            wall = time.monotonic() - start
            process.returncode = os.waitstatus_to_exitcode(status)
            err.seek(0)
            message = err.read()[-400:].strip()
        result = {}
        if process.returncode == 0:
            with open(out, encoding="utf-8") as file:
                result = json.load(file)
    return Run(process.returncode, usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss * 1024, result, message)


def must_run(*args, **kwargs):
    """As run(), but a failure ends the script."""
    done = run(*args, **kwargs)
    if done.code != 0:
        sys.exit(f"{args[0]} on {args[1]} ended with exit code {done.code}:\n{done.message}")
    return done


def geomean(values):
    return math.exp(sum(math.log(value) for value in values) / len(values))


def megabytes(size):
    return f"{size / 1e6:.0f}"


class Table:
    """Columns that line up; the first is left-aligned, the others right-aligned."""

    def __init__(self, *titles):
        self.rows = [titles]

    def add(self, *cells):
        self.rows.append(tuple(str(cell) for cell in cells))

    def show(self):
        widths = [max(len(row[column]) for row in self.rows) for column in range(len(self.rows[0]))]
        for number, row in enumerate(self.rows):
            cells = [row[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
            print("  ".join(cells).rstrip())
            if number == 0:
                print("  ".join("-" * width for width in widths))
