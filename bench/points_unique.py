#!/usr/bin/env python3
"""Are execution-point ids unique? Every statement instance of real runs is named, and all names are compared (as hashes
of 64 bits)."""

import argparse
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
from debian_program import ROOT, Failure, Program, culprit_toolchain, load_recipe  # noqa: E402

RECIPES = ROOT / "tests/acceptance/packages"
TEXT = "".join(f"{number} line {number * 7919 % 1000} of some text\n" for number in range(1, 1501))
LUA = """
local t = {}
for i = 1, 1500 do t[i] = tostring(i * 7919 % 1000):rep(2) end
table.sort(t, function(a, b) return a < b end)
local n = 0
for k, v in pairs(t) do n = n + #v; t[k] = v:gsub('1', 'x') end
print(n, t[1])
"""
JS = "var a=[]; for (var i=0;i<3000;++i) a.push((i*7919%1000)+'x'); a.sort(); var n=0; for (var k in a) n+=a[k].length; print(n);"
# Program, its arguments, its input, and files it finds.
RUNS = {
    "sed": (["-n", r"s/\([0-9]\)1*/x\1/gp;y/123/abc/;/9/{h;G;P}", "text"], ""),
    "bc": (["-l"], "for (i = 0; i < 400; i++) s += sqrt(i) * e(i / 100)\ns\n"),
    "lua5.4": (["script.lua"], ""),
    "mujs": (["script.js"], ""),
    "gzip": (["-9", "-c", "text"], ""),
}


def check_one(name, arguments, work):
    """Instances and clashes."""
    recipe = load_recipe(RECIPES / f"{name}.toml")
    program = Program(recipe, culprit_toolchain(arguments.build.resolve()), work / name)
    program.build_native()
    place = program.directory / "unique"
    place.mkdir(exist_ok=True)
    for file, text in (("text", TEXT), ("script.lua", LUA), ("script.js", JS)):
        (place / file).write_text(text)
    words, stdin = RUNS[name]
    done = subprocess.run([program.toolchain.culprit, "points", "--statements", "--unique", "--kind", arguments.kind,
                           "--limit", str(arguments.limit), program.body(recipe.programs[0], "native"), "--", *words],
                          input=stdin.encode(), cwd=place, capture_output=True, check=False, timeout=1800,
                          env=dict(program.environment(), CULPRIT_CACHE=str(work / "cache")))
    # It stands behind what the program put out, which may be binary and end within a line.
    _, found, last_line = done.stdout.rpartition(b"points-unique:")
    if not found:
        raise Failure(f"culprit points failed: {done.stderr.decode(errors='replace')[-300:]}")
    values = dict(word.split("=") for word in last_line.decode().split())
    return int(values["instances"]), int(values["clashes"])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="at most 200,000 instances a run")
    parser.add_argument("--kind", default="pepid", choices=("sic", "sei", "lei", "pepid"))
    parser.add_argument("--limit", type=int, help="instances a run (3,000,000)")
    parser.add_argument("--only", nargs="+", choices=RUNS, metavar="NAME", help=f"of: {' '.join(RUNS)}")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", help="Culprit's build tree (%(default)s)")
    arguments = parser.parse_args()
    arguments.limit = arguments.limit or (200_000 if arguments.quick else 3_000_000)
    runs = total = clashes = failed = 0
    for name in arguments.only or RUNS:
        try:
            instances, clashing = check_one(name, arguments, ROOT / "build/bench/points")
        except (Failure, subprocess.TimeoutExpired) as failure:
            failed += 1
            print(f"{name:<8} not checked: {failure}", flush=True)
            continue
        print(f"{name:<8} {instances:>9} instances, {clashing} clashes", flush=True)
        runs, total, clashes = runs + 1, total + instances, clashes + clashing
    print(f"points-unique: runs={runs} instances={total} clashes={clashes}")
    return 1 if failed or clashes else 0


if __name__ == "__main__":
    sys.exit(main())
