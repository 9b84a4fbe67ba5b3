#!/usr/bin/env python3
"""Switching branches by forking, against starting the program anew for each. bench/run switch [--quick] [--json FILE] [--culprit PATH]

The recorded run of one program, short and long before the first switch; each branch instance near its end is switched once.
Both ways are the same experiments in the same sealed world, one process at a time and as many at once as the agent has
workers; their outcomes are compared. The figures of the last line are of the long run.
"""
import json
import os
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "shared"))
from driving import HERE, parser_of, run  # noqa: E402

PLAN = 'observed = "homes"\nhooks = "session"\nstart_observed = true\n'


def main():
    options = parser_of(__doc__).parse_args()
    tools = options.culprit.resolve().parent
    figures = {}
    with tempfile.TemporaryDirectory(prefix="culprit-switch-") as name:
        folder = pathlib.Path(name)
        os.environ["CULPRIT_CACHE"] = str(folder / "cache")
        program = folder / "program"
        run(tools / "culprit-cc", "-O2", "-g", HERE / "switch/program.c", "-o", program)
        (folder / "plan.toml").write_text(PLAN)
        built = json.loads(run(options.culprit, "build", program, "--plan", folder / "plan.toml", "--json"))
        for kind, turns in (("short", 1_000), ("long", 100_000 if options.quick else 2_000_000)):
            run(options.culprit, "record", "-o", folder / kind, "--", program, turns)
            said = run(tools / "drive-switch", folder / kind, built["executable"], built["model"], 20 if options.quick else 200)
            figures[kind] = {key: float(value) for key, value in re.findall(r"(\w+)=([\d.]+)", said)}
            print(f"{kind}: {said.strip()}")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(figures) + "\n")
    last = figures["long"]
    print(f"switch: per_s={last['forked_per_s']:.0f} speedup={last['forked_per_s'] / last['restarted_per_s']:.1f}")


if __name__ == "__main__":
    main()
