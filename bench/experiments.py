#!/usr/bin/env python3
"""Experiments of a session: fork at a point, switch a branch, finish. bench/run experiments [--quick] [--json FILE] [--culprit PATH]

One program, small and with 100 MB. Forks are in flight side by side, as many as there are cores and one more; every outcome
is compared with the first.
"""
import json
import os
import pathlib
import re
import statistics
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "shared"))
from driving import HERE, parser_of, run  # noqa: E402

PLAN = 'observed = "homes"\nhooks = "session"\nstart_observed = true\n'
TARGETS = {"short": 3000, "large": 150}


def main():
    options = parser_of(__doc__).parse_args()
    tools = options.culprit.resolve().parent
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
            rounds = []
            for _ in range(1 if options.quick else 3):
                said = run(tools / "drive-session", recording, built["executable"], statement, 1, block, 0, count,
                           os.cpu_count() + 1)
                if "switched=true" not in said or "output=decision 1" not in said or "unaltered: status=0" not in said:
                    sys.exit(f"the experiments do not end as they should: {said}")
                rounds.append(int(re.search(r"experiments_per_s=(\d+)", said).group(1)))
            rates[kind] = round(statistics.median(rounds))
            print(f"{kind}: {rates[kind]} a second (target {TARGETS[kind]})")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rates) + "\n")
    print(f"experiments: short_per_s={rates['short']} large_per_s={rates['large']}")


if __name__ == "__main__":
    main()
