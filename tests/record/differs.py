#!/usr/bin/env python3
"""A replay whose final memory is not the recorded one names the variable: differs.py CULPRIT SOURCE (skipped with status 77
where the processor has no rdrand)"""
import os
import pathlib
import subprocess
import sys
import tempfile


def main():
    culprit, source = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="culprit-differs-") as folder:
        folder = pathlib.Path(folder)
        os.environ["CULPRIT_CACHE"] = str(folder / "cache")
        program = folder / "program"
        subprocess.run([pathlib.Path(culprit).parent / "culprit-cc", "-O2", "-g", source, "-o", program], check=True)
        for options in ([], ["--as-is"]):
            recording = folder / f"recording{len(options)}"
            recorded = subprocess.run([culprit, "record", *options, "-o", recording, "--", program], capture_output=True)
            if recorded.returncode != 0:
                sys.exit(f"record: {recorded.stderr.decode(errors='replace')}")
            if b"exited with 77" in recorded.stderr:
                sys.exit(77)
            replayed = subprocess.run([culprit, "replay", "--verify", recording], capture_output=True)
            said = replayed.stderr.decode(errors="replace")
            if replayed.returncode != 1 or "final memory differs" not in said:
                sys.exit(f"the difference is not seen: {said}")
            if f"in {program} (" not in said or "chance" not in said:
                sys.exit(f"the variable is not named: {said}")
            print(said.splitlines()[-1])


main()
