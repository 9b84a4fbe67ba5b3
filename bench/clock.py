#!/usr/bin/env python3
"""What the software clock costs: user time of fast and observed executables against the user's own -O2 build.

All variants of a program run interleaved, round after round, so that the machine's mood touches them alike; the ratio
is between medians of user time. Observed bodies with homes are for altering short stretches, and are run once.
AddressSanitizer and Valgrind without a tool, also run once, are landmarks: what people accept today.
"""

import argparse
import hashlib
import json
import math
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
from debian_program import PLANS, ROOT, Failure, Program, Toolchain, culprit_toolchain, load_recipe, run_limited  # noqa: E402

RECIPES = pathlib.Path(__file__).resolve().parent / "clock"
ORDER = ("gnugo", "hmmer2", "sjeng", "libquantum", "bzip2", "perl", "xalan", "lua5.4")
VARIANTS = ("native", *PLANS, "asan", "valgrind")
REPEATED = ("native", "fast", "registers")
TARGET = 1.07


class Measured:
    """One variant of one program: its executable, its times, and whether its output is the native one's."""

    def __init__(self, executable, wrapper=()):
        self.executable = executable
        self.wrapper = list(wrapper)
        self.seconds = []
        self.peak_kib = 0
        self.outcome = None

    def run(self, command, directory, environment, limit, ignore):
        """One run; adds its user time. Output lines that match `ignore` say how long things took: they are not compared."""
        output, figures = directory / "output", directory / "figures"
        values = dict(environment, PROGRAM=str(self.executable), WRAPPER=" ".join(self.wrapper))
        words = ["timeout", "--kill-after=5", str(limit), str(directory / "measure"), str(figures),
                 "bash", "-c", f"exec $WRAPPER {command}"]
        figures.unlink(missing_ok=True)
        with open(output, "wb") as file:
            subprocess.run(words, cwd=directory, env=values, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.DEVNULL, check=False)
        if not figures.exists():
            raise Failure(f"{self.executable} did not end within {limit} s")
        microseconds, peak, status = map(int, figures.read_text().split())
        self.seconds.append(microseconds / 1e6)
        self.peak_kib = max(self.peak_kib, peak)
        lines = output.read_bytes().splitlines(keepends=True)
        compared = b"".join(line for line in lines if not (ignore and re.search(ignore.encode(), line)))
        outcome = (os.waitstatus_to_exitcode(status), hashlib.sha256(compared).hexdigest())
        if self.outcome not in (None, outcome):
            raise Failure(f"{self.executable.name} gives different outputs in two runs")
        self.outcome = outcome

    def median(self):
        return statistics.median(self.seconds)


def rebuild(program, plan, build_directory):
    """`culprit build`, unless these very tools have rebuilt this very program."""
    digest = hashlib.sha256((program.directory / "built").read_bytes())
    for file in sorted((build_directory / "lib/culprit").iterdir()):
        if file.is_file():
            digest.update(file.read_bytes())
    stamp = program.directory / f"rebuilt-{plan}"
    if stamp.exists() and stamp.read_text() == digest.hexdigest() and program.body(program.recipe.programs[0], plan).is_file():
        return
    program.build_plan(plan)
    stamp.write_text(digest.hexdigest())


def native_program(name, build_directory, work):
    """A program of the list as its user builds it, and remarks: where the mirror lacks its sources, another stands in."""
    recipe, remarks = load_recipe(RECIPES / f"{name}.toml"), []
    program = Program(recipe, culprit_toolchain(build_directory), work / name)
    try:
        program.build_native()
    except Failure as failure:
        stand_in = recipe.other.get("stand_in")
        if not stand_in:
            raise
        remarks.append(f"{stand_in} stands in for {name}: {failure}")
        program = Program(load_recipe(RECIPES / f"{stand_in}.toml"), culprit_toolchain(build_directory), work / stand_in)
        program.build_native()
    return program, remarks


def row_name(name, program):
    return name if program.recipe.name == name else f"{program.recipe.name} (for {name})"


def build(program, build_directory, work, wanted):
    """Every variant that can be built, and remarks on those that can't."""
    recipe = program.recipe
    name = recipe.programs[0]
    variants = {"native": Measured(program.body(name, "native"))}
    remarks = []
    for plan in PLANS:
        try:
            rebuild(program, plan, build_directory)
            variants[plan] = Measured(program.body(name, plan))
        except Failure as failure:
            remarks.append(f"{failure} (log: {failure.log})")
    if "asan" in wanted:
        sanitized = Program(recipe, Toolchain("clang-19", "clang++-19", None, "-g -fsanitize=address", "-fsanitize=address"),
                            work / f"{recipe.name}-asan")
        try:
            sanitized.build_native()
            variants["asan"] = Measured(sanitized.body(name, "native"))
        except Failure as failure:
            remarks.append(f"AddressSanitizer: {failure} (log: {failure.log})")
    if "valgrind" in wanted and shutil.which("valgrind"):
        # Valgrind 3.19 does not read the debug information of clang 19.
        stripped = program.directory / "bodies" / "stripped"
        subprocess.run(["strip", "-g", "-o", stripped, program.body(name, "native")], check=True)
        variants["valgrind"] = Measured(stripped, ("valgrind", "-q", "--tool=none"))
    return variants, remarks


def place_and_environment(program, quick):
    """Where a program runs and with what variables; the files that it reads are made."""
    rules = program.recipe.other
    environment = dict(program.environment(), SIZE=str(rules["quick_size"] if quick else rules["size"]),
                       ASAN_OPTIONS="detect_leaks=0", INPUT=str(program.directory / "input"), BENCH=str(RECIPES))
    place = program.directory / "run"
    place.mkdir(exist_ok=True)
    subprocess.run(["clang-19", "-O2", "-o", place / "measure", RECIPES / "measure.c"], check=True)
    (program.directory / "input").mkdir(exist_ok=True)
    if "prepare" in rules:
        log = program.log("prepare")
        prepare = dict(environment, PROGRAM=str(program.body(program.recipe.programs[0], "native")))
        if run_limited(rules["prepare"], program.directory / "input", prepare, log, 600).status != 0:
            raise Failure("the input could not be made", log)
    return place, environment


def measure(program, variants, quick, rounds):
    """Runs everything interleaved. Returns what is wrong."""
    rules = program.recipe.other
    place, environment = place_and_environment(program, quick)
    for turn in range(rounds):
        for name, variant in variants.items():
            if turn == 0 or name in REPEATED:
                variant.run(rules["run"], place, environment, 600, rules.get("ignore"))
    expected = variants["native"].outcome
    if expected[0] != rules.get("status", 0):
        raise Failure(f"native exit status {expected[0]}")
    return [f"{name}: status {variant.outcome[0]}, output {'equal' if variant.outcome[1] == expected[1] else 'differs'}"
            for name, variant in variants.items() if variant.outcome != expected]


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values)) if values else float("nan")


def bench_one(name, arguments, work):
    """The row of one program of the list, measured on its stand-in where the mirror lacks its sources."""
    row = {"program": name, "remarks": []}
    wanted = () if arguments.no_landmarks else ("asan", "valgrind")
    try:
        program, row["remarks"] = native_program(name, arguments.build.resolve(), work)
        row["program"] = row_name(name, program)
        variants, remarks = build(program, arguments.build.resolve(), work, wanted)
        row["remarks"] += remarks
        wrong = measure(program, variants, arguments.quick, arguments.rounds)
    except Failure as failure:
        row["remarks"].append(f"not measured: {failure}" + (f" (log: {failure.log})" if failure.log else ""))
        row["wrong"] = True
        return row
    native = variants["native"].median()
    row |= {"native_seconds": native, "remarks": row["remarks"] + wrong,
            "wrong": bool(wrong) or any(plan not in variants for plan in PLANS),
            "ratio": {key: variant.median() / native for key, variant in variants.items() if key != "native" and key + ":" not in " ".join(wrong)},
            "peak_mib": {key: variant.peak_kib / 1024 for key, variant in variants.items()},
            "seconds": {key: variant.seconds for key, variant in variants.items()}}
    return row


def print_row(row):
    ratios, peak = row.get("ratio", {}), row.get("peak_mib", {})
    cells = " ".join(f"{ratios[key]:>9.3f}" if key in ratios else f"{'-':>9}" for key in VARIANTS[1:])
    memory = "/".join(f"{peak[key]:.0f}" if key in peak else "-" for key in ("native", *PLANS))
    seconds = f"{row['native_seconds']:.2f}" if "native_seconds" in row else "-"
    print(f"{row['program']:<22} {seconds:>8} {cells}  {memory}")
    for remark in row["remarks"]:
        print(f"    {remark}")
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small inputs, three rounds")
    parser.add_argument("--rounds", type=int, help="rounds (5; 3 with --quick)")
    parser.add_argument("--only", nargs="+", choices=ORDER, metavar="NAME", help=f"of: {' '.join(ORDER)}")
    parser.add_argument("--no-landmarks", action="store_true", help="without AddressSanitizer and Valgrind")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write every figure as JSON as well")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", help="Culprit's build tree (%(default)s)")
    arguments = parser.parse_args()
    arguments.rounds = arguments.rounds or (3 if arguments.quick else 5)

    print(f"user time; ratios to the native -O2 build, medians of {arguments.rounds} interleaved rounds (homes and landmarks: one run)")
    print(f"{'program':<22} {'native s':>8} " + " ".join(f"{key:>9}" for key in VARIANTS[1:]) + "  peak MiB native/" + "/".join(PLANS))
    rows = []
    for name in arguments.only or ORDER:
        rows.append(bench_one(name, arguments, (ROOT / "build/bench/clock")))
        print_row(rows[-1])
    ratios = {key: [row["ratio"][key] for row in rows if key in row.get("ratio", {})] for key in VARIANTS[1:]}
    means = {key: geometric_mean(values) for key, values in ratios.items()}
    print(f"{'geomean':<22} {'':>8} " + " ".join(f"{means[key]:>9.3f}" for key in VARIANTS[1:]))
    if arguments.json:
        arguments.json.write_text(json.dumps({"rows": rows, "geomean": means, "target": TARGET}, indent=1) + "\n")
    worst = max(ratios["fast"], default=float("nan"))
    print(f"clock: geomean={means['fast']:.3f} worst={worst:.3f} observed_geomean={means['registers']:.3f}")
    return 1 if any(row.get("wrong") for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
