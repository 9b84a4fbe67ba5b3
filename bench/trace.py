#!/usr/bin/env python3
"""What tracing costs: user time of traced executables against the user's own -O2 build, and bytes an instruction.

Native and traced executables run interleaved. `discarded`: the traced executable writes its events and nobody takes
them; `kept`: `culprit trace` compresses and keeps them, its own time included; `path`: as discarded, of the way alone,
without addresses (`culprit trace --path` for its bytes). Instructions are those of the native
executable, counted by callgrind on the same input.
"""

import argparse
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
from debian_program import ROOT, Failure, Program, culprit_toolchain, load_recipe  # noqa: E402

RECIPES = pathlib.Path(__file__).resolve().parent / "clock"
ORDER = ("lua5.4", "bzip2", "hmmer2", "phalanx", "libquantum", "sjeng", "gnugo")
QUICK = ("lua5.4", "bzip2", "hmmer2")


def user_seconds(command, place, environment):
    """One run by /bin/sh; its user time, with that of what it started."""
    before = os.times().children_user
    done = subprocess.run(["bash", "-c", command], cwd=place, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=1800)
    return os.times().children_user - before, done


def instructions(command, place, environment):
    """Of one native run, counted once. Valgrind 3.19 does not read the debug information of clang 19, hence a stripped
    copy."""
    known = place / f"instructions-{environment['SIZE']}"
    if known.exists():
        return int(known.read_text())
    stripped = place / "stripped"
    subprocess.run(["strip", "-g", "-o", stripped, environment["PROGRAM"]], check=True)
    words = f"valgrind --tool=callgrind --callgrind-out-file=/dev/null {stripped}"
    _, done = user_seconds(command.replace('"$PROGRAM"', words), place, environment)
    collected = re.search(r"Collected : (\d+)", done.stderr)
    if not collected:
        return None
    known.write_text(collected.group(1))
    return int(collected.group(1))


def bench_one(name, arguments, work):
    recipe = load_recipe(RECIPES / f"{name}.toml")
    toolchain = culprit_toolchain(arguments.build.resolve())
    program = Program(recipe, toolchain, work / recipe.name)
    program.build_native()
    native = program.body(recipe.programs[0], "native")
    rules = recipe.other
    size = rules["quick_size"] if arguments.quick else rules["size"]
    place = program.directory / "trace"
    (program.directory / "input").mkdir(exist_ok=True)
    place.mkdir(exist_ok=True)
    environment = dict(os.environ, **program.environment()) | {
        "SIZE": str(size), "INPUT": str(program.directory / "input"), "BENCH": str(RECIPES), "PROGRAM": str(native),
        "CULPRIT_CACHE": str(program.directory / "cache")}
    if "prepare" in rules:
        subprocess.run(["bash", "-c", rules["prepare"]], cwd=program.directory / "input", env=environment, check=True)
    traced = {}
    for plan in ("trace", "path"):
        built = subprocess.run([toolchain.culprit, "build", "--plan", plan, "--json", native], env=environment, text=True,
                               capture_output=True, check=True)
        traced[plan] = dict(environment, PROGRAM=json.loads(built.stdout)["executable"])
    count = instructions(rules["run"], place, environment) if shutil.which("valgrind") else None
    if arguments.build_only:
        return {"program": name}

    def kept(options):
        tool = f"{toolchain.culprit} trace --json {options} -o {place}/t -- {native}"
        spent, done = user_seconds(rules["run"].replace('"$PROGRAM"', tool), place, environment)
        return spent, json.loads(done.stderr.strip().splitlines()[-1])

    seconds = {"native": [], "discarded": [], "path": [], "kept": []}
    for _ in range(arguments.rounds):
        seconds["native"].append(user_seconds(rules["run"], place, environment)[0])
        seconds["discarded"].append(user_seconds(rules["run"], place, traced["trace"])[0])
        seconds["path"].append(user_seconds(rules["run"], place, traced["path"])[0])
        spent, written = kept("")
        seconds["kept"].append(spent)
    _, path = kept("--path")
    medians = {key: statistics.median(values) for key, values in seconds.items()}
    shutil.rmtree(place / "t", ignore_errors=True)
    return {"program": name, "seconds": medians, "discarded": medians["discarded"] / medians["native"],
            "path": medians["path"] / medians["native"], "path_stored_bytes": path["stored_bytes"],
            "path_per_instruction": path["stored_bytes"] / count if count else float("nan"),
            "kept": medians["kept"] / medians["native"], "instructions": count, "events_bytes": written["events_bytes"],
            "stored_bytes": written["stored_bytes"],
            "events_per_instruction": written["events_bytes"] / count if count else float("nan"),
            "stored_per_instruction": written["stored_bytes"] / count if count else float("nan")}


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values)) if values else float("nan")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help=f"small inputs of {' and '.join(QUICK)}, one round")
    parser.add_argument("--rounds", type=int, help="rounds (3; 1 with --quick)")
    parser.add_argument("--only", nargs="+", choices=ORDER, metavar="NAME", help=f"of: {' '.join(ORDER)}")
    parser.add_argument("--build-only", action="store_true", help="make all executables and inputs ready, measure nothing")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write every figure as JSON as well")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", help="Culprit's build tree (%(default)s)")
    arguments = parser.parse_args()
    arguments.rounds = arguments.rounds or (1 if arguments.quick else 3)
    print(f"{'program':<12} {'native s':>9} {'discarded':>10} {'kept':>8} {'events B/instr':>15} {'stored B/instr':>15} {'path':>8} {'path B/instr':>13}")
    rows, failed = [], False
    for name in arguments.only or (QUICK if arguments.quick else ORDER):
        try:
            row = bench_one(name, arguments, ROOT / "build/bench/trace")
        except (Failure, subprocess.SubprocessError, OSError, ValueError, KeyError) as failure:
            print(f"{name:<12} not measured: {failure}")
            failed = True
            continue
        if arguments.build_only:
            print(f"{name:<12} ready", flush=True)
            continue
        rows.append(row)
        print(f"{name:<12} {row['seconds']['native']:>9.2f} {row['discarded']:>10.2f} {row['kept']:>8.2f} "
              f"{row['events_per_instruction']:>15.3f} {row['stored_per_instruction']:>15.3f} {row['path']:>8.2f} {row['path_per_instruction']:>13.4f}", flush=True)
    if arguments.build_only:
        return 1 if failed else 0
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")
    ratios = [row["discarded"] for row in rows]
    stored = [row["stored_per_instruction"] for row in rows if row["instructions"]]
    paths = [row["path_per_instruction"] for row in rows if row["instructions"]]
    print(f"trace: path_geomean={geometric_mean([row['path'] for row in rows]):.2f} path_bytes={geometric_mean(paths):.3f} geomean={geometric_mean(ratios):.2f} worst={max(ratios, default=float('nan')):.2f} "
          f"bytes_per_instr={geometric_mean(stored):.3f}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
