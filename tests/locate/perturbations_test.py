#!/usr/bin/env python3
"""Values altered outside of slices, in replays of a recording, change nothing; those in slices do; and where slices lack
dependences, that is seen.  Usage: perturbations_test.py BIN_FOLDER"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).with_name("perturbed.c")
PLAN = 'observed = "registers"\nhooks = "values"\nstart_observed = true\nalterable = true\n'


def main():
    binaries = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="culprit-perturbed-") as name:
        folder = pathlib.Path(name)
        environment = dict(os.environ, CULPRIT_CACHE=str(folder / "cache"))

        def run(*words):
            done = subprocess.run([str(word) for word in words], env=environment, cwd=folder, capture_output=True, text=True, timeout=200)
            if done.returncode != 0:
                sys.exit(f"{words}: status {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
            return done.stdout

        run(binaries / "culprit-cc", "-O2", "-g", SOURCE, "-o", "perturbed")
        run(binaries / "culprit", "record", "-o", "rec", "--", "./perturbed")
        (folder / "plan.toml").write_text(PLAN)
        built = json.loads(run(binaries / "culprit", "build", "./perturbed", "--plan", "plan.toml", "--json"))

        def perturb(outside, inside, *words):
            return json.loads(run(binaries / "drive-perturbations", "rec", built["executable"], built["model"], 1, outside, inside, *words))

        whole = perturb(12, 12, "stdout:0", "stdout:4", "stdout:8")
        counts = whole["counts"]
        if whole["violations"] or counts["outside"] < 10 or counts["inside"] < 10 or 2 * counts["inside, differs"] < counts["inside"]:
            sys.exit(f"{whole}")
        # The same seed alters the same values.
        if perturb(12, 12, "stdout:0", "stdout:4", "stdout:8") != whole:
            sys.exit("it is not the same the second time")
        lacking = perturb(80, 0, "stdout:0", "--without-address")
        if not lacking["violations"] or any(each["criterion"] != "stdout:0" for each in lacking["violations"]):
            sys.exit(f"without address dependences no violation is seen: {lacking}")
    print(f"{counts['outside']} outside, {counts['inside']} inside")


if __name__ == "__main__":
    main()
