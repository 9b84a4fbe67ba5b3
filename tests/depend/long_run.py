#!/usr/bin/env python3
"""Of a long run `culprit slice` traces the last part, keeps it, and says so; what is asked about the whole is still had.

Usage: long_run.py BIN_FOLDER SUBJECT
"""

import os
import pathlib
import subprocess
import sys
import tempfile


def main():
    binaries, subject = map(pathlib.Path, sys.argv[1:])
    lines = subject.read_text().splitlines()
    line = {text.rsplit("// ", 1)[1]: number for number, text in enumerate(lines, 1) if "// " in text}
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"CULPRIT_CACHE": f"{folder}/cache", "CULPRIT_RECORDINGS": folder}
        recording = pathlib.Path(folder) / "recording"

        def culprit(*words, status=0):
            done = subprocess.run([binaries / "culprit", *words], env=environment, cwd=folder, capture_output=True, text=True, check=False)
            if done.returncode != status:
                sys.exit(f"{words} ended with {done.returncode}: {done.stderr}")
            return done.stdout, done.stderr

        subprocess.run([binaries / "culprit-cc", "-O1", "-g", "-w", subject, "-o", f"{folder}/program"], check=True)
        culprit("record", "-o", str(recording), "--", f"{folder}/program", status=0)
        left = recording / "end.999999999"  # as of a process that was killed; there is none of that number
        left.mkdir()
        slices = []
        for _ in range(2):
            shown, said = culprit("slice", str(recording), "--crash")
            if "the run is long" not in said or "read what nothing wrote in this part" not in said:
                sys.exit(f"it does not say what the slice lacks: {said}")
            slices.append(shown)
        if any("puts out" in shown for shown in slices):
            sys.exit("the program's output is shown again")
        if slices[0] != slices[1]:
            sys.exit("the kept trace has another slice")
        if f"{subject.name}:{line['crash']} " not in slices[0] or f"{subject.name}:{line['null']} " not in slices[0]:
            sys.exit(f"the slice of the crash: {slices[0]}")
        if f"{subject.name}:{line['before']} " in slices[0]:
            sys.exit("the last part has what was done before it")
        if not (recording / "end/graph").exists() or (recording / "trace").exists() or left.exists():
            sys.exit(f"kept: {sorted(each.name for each in recording.iterdir())}")
        shown, _ = culprit("slice", str(recording), "--at", f"{subject.name}:{line['mixed']}")
        if f"{subject.name}:{line['mixed']} " not in shown:
            sys.exit(f"the slice of the loop: {shown}")
        _, said = culprit("slice", str(recording), "--at", f"{subject.name}:{line['before']}", status=2)
        if "in the last part of this long run" not in said or "#N" not in said:
            sys.exit(f"of a place that the last part does not have it says {said}")
        _, said = culprit("slice", str(recording), "--at", f"{subject.name}:1", status=2)
        if "long run" in said.replace("the run is long", ""):
            sys.exit(f"of a line without statements it says {said}")
        culprit("pack", str(recording), "-o", f"{folder}/packed.tar.gz")
        packed = subprocess.run(["tar", "-tzf", f"{folder}/packed.tar.gz"], capture_output=True, text=True, check=True).stdout
        if "/end" in packed or "/manifest.json" not in packed:
            sys.exit(f"packed: {packed}")


if __name__ == "__main__":
    main()
