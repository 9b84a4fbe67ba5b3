#!/usr/bin/env python3
"""A recorded run's trace, made by replaying the recording, is that of the run itself.

Usage: recorded.py BIN_DIR SOURCE_DIR
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BIN = pathlib.Path(sys.argv[1]).resolve()
SOURCE = pathlib.Path(sys.argv[2]).resolve()


def culprit(*words, folder, status=(0,)):
    environment = dict(os.environ, CULPRIT_CACHE=str(folder / "cache"))
    run = subprocess.run([BIN / "culprit", *words], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if run.returncode not in status:
        sys.exit(f"culprit {' '.join(map(str, words))}: {run.returncode}\n{run.stderr}{run.stdout}")
    return run.stdout


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        source = SOURCE / "examples/orders/orders.c"
        shutil.copy(SOURCE / "examples/orders/orders.txt", folder)
        subprocess.run([BIN / "culprit-cc", "-O2", "-g", "-o", folder / "prog", source], check=True)
        crash = (-11, 139)
        culprit("trace", "-o", "live", "--", "./prog", "orders.txt", folder=folder, status=crash)
        culprit("record", "-o", "recording", "--", "./prog", "orders.txt", folder=folder, status=(0, *crash))
        # The file must not be needed any more.
        (folder / "orders.txt").unlink()
        culprit("trace", "recording", "-o", "replayed", folder=folder, status=(0, *crash))
        # Addresses in the heap and the libraries are the system's choice.
        live, replayed = (re.sub(r"0x[0-9a-f]+", "0x", culprit("dump", "trace", each, folder=folder))
                          for each in ("live", "replayed"))
        if " enter bill " not in live:
            sys.exit("the run's trace does not show the activation that crashed")
        if live != replayed:
            differing = next((a, b) for a, b in zip(live.splitlines() + [""], replayed.splitlines() + [""]) if a != b)
            sys.exit(f"the traces differ: {differing}")
        # A slice leaves trace and graph in the recording, for the next one.
        first = culprit("slice", "recording", "--crash", folder=folder)
        kept = folder / "recording/trace/graph"
        if not kept.exists():
            sys.exit("the recording does not keep its trace")
        made = kept.stat().st_mtime_ns
        if culprit("slice", "recording", "--crash", folder=folder) != first or kept.stat().st_mtime_ns != made:
            sys.exit("the second slice does not use the trace of the first")
        # One that another version of Culprit left is made again.
        chunks = folder / "recording/trace/chunks"
        bytes_of_trace = bytearray(chunks.read_bytes())
        bytes_of_trace[8] -= 1
        chunks.write_bytes(bytes_of_trace)
        if culprit("slice", "recording", "--crash", folder=folder) != first:
            sys.exit("a trace of another version was used")


main()
