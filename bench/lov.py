#!/usr/bin/env python3
"""How many loops have a loop order variable (EPID table II; STAT), found in the programs as compiled."""

import argparse
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
from debian_program import ROOT, Failure, Program, culprit_toolchain, load_recipe  # noqa: E402

RECIPES = ROOT / "bench/clock"
ORDER = ("lua5.4", "bzip2", "hmmer2", "libquantum")
PUBLISHED = {"bzip2": (324, 80), "hmmer2": (425, 218), "libquantum": (78, 60)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the same: nothing is run")
    parser.add_argument("--only", nargs="+", choices=ORDER, metavar="NAME", help=f"of: {' '.join(ORDER)}")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write every figure as JSON as well")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", help="Culprit's build tree (%(default)s)")
    arguments = parser.parse_args()
    rows, failed = {}, False
    print(f"{'program':<12} {'loops':>7} {'with':>6} {'share':>6}   published")
    for name in arguments.only or ORDER:
        recipe = load_recipe(RECIPES / f"{name}.toml")
        program = Program(recipe, culprit_toolchain(arguments.build.resolve()), ROOT / "build/bench/index" / name)
        try:
            program.build_native()
        except Failure as failure:
            failed = True
            print(f"{name:<12} not looked at: {failure}")
            continue
        done = subprocess.run([program.toolchain.culprit, "dump", "loops", "--json", program.body(recipe.programs[0], "native")],
                              capture_output=True, text=True, check=False, cwd=program.source)
        if done.returncode != 0:
            failed = True
            print(f"{name:<12} not looked at: {done.stderr[-200:]}")
            continue
        found = json.loads(done.stdout)["loops"]
        loops, ordered = len(found), sum("variable" in loop for loop in found)
        rows[name] = {"loops": loops, "with": ordered}
        known = PUBLISHED.get(name)
        beside = f"{known[1]} of {known[0]} ({known[1] / known[0]:.0%})" if known else ""
        print(f"{name:<12} {loops:>7} {ordered:>6} {ordered / max(loops, 1):>6.0%}   {beside}", flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")
    print(f"lov: loops={sum(row['loops'] for row in rows.values())} with={sum(row['with'] for row in rows.values())}")
    return 1 if failed or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
