#!/usr/bin/env python3
"""Experiments of a session: fork at a point, switch a branch, finish. bench/run experiments [--quick] [--json FILE] [--culprit PATH]

One program, small and with 100 MB. Forks are in flight side by side, as many as there are cores and one more; every outcome
is compared with the first.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PLAN = 'observed = "homes"\nhooks = "session"\nstart_observed = true\n'
TARGETS = {"short": 3000, "large": 150}


def run(*words):
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600)
    if done.returncode not in (0, 1) or (done.returncode == 1 and "drive-session:" in done.stderr):
        sys.exit(f"{words}: {done.stderr[-2000:]}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json")
    parser.add_argument("--culprit", default=str(HERE.parent / "build/release/bin/culprit"))
    options = parser.parse_args()
    tools = pathlib.Path(options.culprit).parent
    rates = {}
    with tempfile.TemporaryDirectory(prefix="culprit-experiments-") as name:
        folder = pathlib.Path(name)
        os.environ["CULPRIT_CACHE"] = str(folder / "cache")
        program = folder / "program"
        run(tools / "culprit-cc", "-O2", "-g", HERE / "experiments/program.c", "-o", program)
        (folder / "plan.toml").write_text(PLAN)
        built = json.loads(run(options.culprit, "build", program, "--plan", folder / "plan.toml", "--json"))
        text = run(options.culprit, "dump", "model", built["model"], "--function", "decide")
        block = re.search(r"\(id (\d+)\), (?:true|false): ", text).group(1)
        text = run(options.culprit, "dump", "model", built["model"], "--function", "main")
        statement = re.search(r"^\s+(\d+) .*call\s+decide", text, re.MULTILINE).group(1)
        for kind, megabytes, count in (("short", 0, 4000), ("large", 100, 400)):
            recording = folder / kind
            run(options.culprit, "record", "-o", recording, "--", program, megabytes)
            if options.quick:
                count //= 10
            best = 0
            for _ in range(1 if options.quick else 3):
                said = run(tools / "drive-session", recording, built["executable"], statement, 1, block, 0, count,
                           os.cpu_count() + 1)
                if "switched=true" not in said or "output=decision 1" not in said or "unaltered: status=0" not in said:
                    sys.exit(f"the experiments do not end as they should: {said}")
                best = max(best, int(re.search(r"experiments_per_s=(\d+)", said).group(1)))
            rates[kind] = best
            print(f"{kind}: {best} a second (target {TARGETS[kind]})")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rates) + "\n")
    print(f"experiments: short_per_s={rates['short']} large_per_s={rates['large']}")


if __name__ == "__main__":
    main()
