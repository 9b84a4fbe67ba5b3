#!/usr/bin/env python3
"""What building a plan costs: seconds and MiB of `culprit build`, against clang -O2 on the same sources.

The reference deletes the objects and runs the package's own build step again with clang -O2, as many jobs as cores.
Both are measured in turns, from an empty cache; the second build of the same plan then comes from the cache.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
from debian_program import PLANS, ROOT, Failure, Program, Toolchain, culprit_toolchain, load_recipe  # noqa: E402

RECIPES = {"lua5.4": ROOT / "bench/clock/lua5.4.toml", "sqlite3": ROOT / "tests/acceptance/packages/sqlite3.toml",
           "perl": ROOT / "bench/clock/perl.toml"}
TARGET_RATIO, TARGET_CACHED = 2.0, 0.2


def timed(command, directory, environment, log):
    """Wall seconds of a command that must succeed, and the largest resident size of any of its processes in MiB."""
    start = time.monotonic()
    with open(log, "wb") as output:
        child = subprocess.Popen(["bash", "-c", command], cwd=directory, env=environment, stdin=subprocess.DEVNULL,
                                 stdout=output, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise Failure(f"`{command}` failed", log)
    return time.monotonic() - start, usage.ru_maxrss / 1024


class Reference:
    """The package built by clang -O2, without Culprit."""

    def __init__(self, recipe, work):
        self.program = Program(recipe, Toolchain("clang-19", "clang++-19"), work / f"{recipe.name}-clang")
        self.program.build_native()
        self.seconds, self.mib = [], 0.0

    def measure(self):
        source = self.program.source
        for pattern in ("*.o", "*.lo", "*.a"):
            for file in source.rglob(pattern):
                file.unlink()
        for program in self.program.recipe.programs:
            (source / program).unlink(missing_ok=True)
        seconds, mib = timed(self.program.recipe.build, source, self.program.environment(), self.program.log("again"))
        self.seconds.append(seconds)
        self.mib = max(self.mib, mib)


class Planned:
    """One plan of the package's program, built by culprit."""

    def __init__(self, program, plan, work):
        self.program, self.plan = program, plan
        self.cache = work / "cache"
        self.seconds, self.cached_seconds, self.mib, self.report = [], [], 0.0, None

    def measure(self):
        shutil.rmtree(self.cache, ignore_errors=True)
        environment = dict(self.program.environment(), CULPRIT_CACHE=str(self.cache))
        native = self.program.body(self.program.recipe.programs[0], "native")
        command = f'"{self.program.toolchain.culprit}" build --json --plan {self.plan} "{native}"'
        log = self.program.log(f"bench-{self.plan}")
        seconds, mib = timed(command + " 2>/dev/null", self.program.source, environment, log)
        self.seconds.append(seconds)
        self.mib = max(self.mib, mib)
        self.report = json.loads(log.read_text())
        for _ in range(3):
            self.cached_seconds.append(timed(command, self.program.source, environment, self.program.log("cached"))[0])
        if not json.loads(self.program.log("cached").read_text())["from_cache"]:
            raise Failure(f"the second build of plan {self.plan} did not come from the cache", self.program.log("cached"))
        shutil.rmtree(self.cache, ignore_errors=True)


def bench_one(name, arguments, work):
    recipe = load_recipe(RECIPES[name])
    reference = Reference(recipe, work)
    program = Program(recipe, culprit_toolchain(arguments.build.resolve()), work / recipe.name)
    program.build_native()
    plans = [Planned(program, plan, work) for plan in PLANS]
    for _ in range(arguments.rounds):
        reference.measure()
        for plan in plans:
            plan.measure()
    native = statistics.median(reference.seconds)
    print(f"{name:<9} clang -O2 {native:>7.2f} s {reference.mib:>6.0f} MiB")
    rows = []
    for plan in plans:
        row = {"program": name, "plan": plan.plan, "reference_seconds": native, "reference_mib": reference.mib,
               "seconds": statistics.median(plan.seconds), "mib": plan.mib, "cached_seconds": statistics.median(plan.cached_seconds),
               "all_seconds": plan.seconds, "steps": plan.report["steps"], "code_bytes": plan.report["code_bytes"]}
        row["ratio"] = row["seconds"] / native
        rows.append(row)
        steps = ", ".join(f"{step['step']} {step['seconds']:.2f}" for step in row["steps"])
        print(f"  {plan.plan:<10} {row['seconds']:>9.2f} s {row['mib']:>6.0f} MiB  {row['ratio']:.2f}x  cached {row['cached_seconds']:.3f} s  ({steps})")
    sys.stdout.flush()
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one round")
    parser.add_argument("--rounds", type=int, help="rounds (3; 1 with --quick)")
    parser.add_argument("--only", nargs="+", choices=sorted(RECIPES), metavar="NAME", help=f"of: {' '.join(RECIPES)}")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write every figure as JSON as well")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", help="Culprit's build tree (%(default)s)")
    arguments = parser.parse_args()
    arguments.rounds = arguments.rounds or (1 if arguments.quick else 3)

    work = ROOT / "build/bench/build"
    work.mkdir(parents=True, exist_ok=True)
    rows, failed = [], False
    for name in arguments.only or RECIPES:
        try:
            rows += bench_one(name, arguments, work)
        except Failure as failure:
            failed = True
            print(f"{name:<9} not measured: {failure}" + (f" (log: {failure.log})" if failure.log else ""))
    if arguments.json:
        targets = {"ratio": TARGET_RATIO, "cached_seconds": TARGET_CACHED}
        arguments.json.write_text(json.dumps({"rows": rows, "targets": targets}, indent=1) + "\n")
    worst = max((row["ratio"] for row in rows), default=float("nan"))
    cached = max((row["cached_seconds"] for row in rows), default=float("nan"))
    print(f"build: worst_ratio={worst:.2f} cached_s={cached:.3f}")
    return 1 if failed or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
