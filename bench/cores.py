#!/usr/bin/env python3
"""Execution points of native programs that crashed, from their core files alone (EPID §II-D, STAT).

Each case of --cases that ends by a signal is run as its user would, without Culprit. What its core file tells: how
many loops of the program are around the point, in every function that was active, and of how many the iteration is known, by
a variable that the source keeps anyway and the optimiser kept, too.
"""

import argparse
import json
import pathlib
import resource
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
from cases import Examined, ends_by_signal, package_programs, set_up  # noqa: E402
from debian_program import ROOT, Failure, culprit_toolchain  # noqa: E402


def allow_core():
    resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def core_of(each, program, work):
    """Runs the case's command in `work`; the program's file and the core file that it left."""
    command, environment = set_up(each.folder, each.case, program, work)
    finished = subprocess.run(command, cwd=work, env=environment, stdin=subprocess.DEVNULL, capture_output=True, preexec_fn=allow_core,
                              timeout=60, check=False)
    cores = list(work.glob("core*"))
    if not cores:
        raise Failure(f"ended with {finished.returncode} and left no core file (see core(5), /proc/sys/kernel/core_pattern)")
    return command[0], cores[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=pathlib.Path, default=ROOT.parent / "shared/cases", help="folder of case folders")
    parser.add_argument("--only", action="append", help="name of a case, may be repeated")
    parser.add_argument("--quick", action="store_true", help="the first three cases")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write what was found there, too")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", help="Culprit's build tree (%(default)s)")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build/cases", help="where packages are built")
    options = parser.parse_args()
    examined = [Examined(path.parent) for path in sorted(options.cases.glob("*/case.json"))]
    examined = [each for each in examined if ends_by_signal(each.case) and (not options.only or each.name in options.only)]
    if options.quick:
        examined = examined[:3]
    toolchain = culprit_toolchain(options.build.resolve())
    programs, problems = package_programs(examined, options.work.resolve(), toolchain)
    rows, failed = [], False
    print(f"{'case':28} {'frames':>6} {'loops':>6} {'known':>6} {'seconds':>8}  where loops are")
    for each in examined:
        try:
            if each.case["package"] in problems:
                raise Failure(problems[each.case["package"]])
            program, core = core_of(each, programs[each.case["package"]], options.work.resolve() / "cores" / each.name)
            start = time.monotonic()
            done = subprocess.run([toolchain.culprit, "points", "--json", "--core", core, program], capture_output=True, text=True, check=False)
            seconds = time.monotonic() - start
            core.unlink()
            if done.returncode != 0:
                raise Failure(done.stderr.strip()[-300:])
        except Failure as failure:
            failed = True
            print(f"{each.name:28} {failure}", flush=True)
            continue
        thread = json.loads(done.stdout)["threads"][0]
        where = [f"{frame['function']}:{loop['line']}" + (f" {loop['variable']}={loop.get('value', '?')}" if "variable" in loop else "")
                 for frame in thread["frames"] for loop in frame.get("loops", [])]
        rows.append({"case": each.name, "seconds": seconds, **thread})
        print(f"{each.name:28} {len(thread['frames']):>6} {thread['loops']:>6} {thread['known_iterations']:>6} {seconds:>8.1f}  {', '.join(where)}",
              flush=True)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")
    print(f"cores: cases={len(rows)} unambiguous={sum(row['loops'] == row['known_iterations'] for row in rows)} "
          f"loops={sum(row['loops'] for row in rows)} known={sum(row['known_iterations'] for row in rows)}")
    return 1 if failed or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
