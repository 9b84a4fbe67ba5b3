#!/usr/bin/env python3
"""Moments of a long replay: bench/run checkpoints [--quick] [--compare] [--json FILE] [--culprit PATH]

Records a CPU-bound program of two threads that runs for over a minute (1 s with --quick), replays it once while copies of the
process are parked, and then times going to 20 random moments. With --compare each moment is also reached from a fresh start.
"""
import json
import os
import pathlib
import re
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "shared"))
from driving import HERE, parser_of, run  # noqa: E402

LEAST_SECONDS = 62


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--compare", action="store_true")
    options = parser.parse_args()
    tools = options.culprit.resolve().parent
    with tempfile.TemporaryDirectory(prefix="culprit-checkpoints-") as name:
        folder = pathlib.Path(name)
        os.environ["CULPRIT_CACHE"] = str(folder / "cache")
        program = folder / "program"
        run(tools / "culprit-cc", "-O2", "-g", "-pthread", HERE / "checkpoints/program.c", "-o", program)

        def record(rounds):
            recording = folder / f"rounds-{rounds}"
            started = time.monotonic()
            run(options.culprit, "record", "-o", recording, "--", program, rounds)
            return recording, time.monotonic() - started

        record(1)  # builds
        rounds = 40 if options.quick else 200
        recording, seconds = record(rounds)
        if not options.quick:
            recording, seconds = record(int(rounds * LEAST_SECONDS / seconds))
        said = run(tools / "drive-timeline", recording, 5 if options.compare else 20, int(options.compare))
        found = dict(re.findall(r"(\w+)=([\d.]+)", said))
        print(f"recorded in {seconds:.1f} s; first pass {found['pass_s']} s")
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps(found) + "\n")
        print(f"checkpoints: median_s={found['median_s']} worst_s={found['worst_s']} kept={found['kept']} mem_mib={found['mem_mib']}")


if __name__ == "__main__":
    main()
