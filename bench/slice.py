#!/usr/bin/env python3
"""How long a slice takes, and what memory, of traces of 1 million, 20 million and 1 thousand million instructions.

Real programs (recipes of bench/clock) are traced once and their dependence graph is made once; then 100 criteria are
asked for, each by a `culprit slice` of its own, as a user does: the last executions of lines, points of the run chosen
at random, and bytes of the output. Times are those of the whole process, in wall time; memory is the largest resident
size of any of them, mapped parts of the graph included. Instructions are those of the native executable, by callgrind.
"""

import argparse
import json
import os
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
from debian_program import ROOT, Failure, Program, culprit_toolchain, load_recipe  # noqa: E402

BENCH = pathlib.Path(__file__).resolve().parent
# Command and, by scale, its size: of the text in bytes, of rounds.
SUBJECTS = {"bzip2": ('"$PROGRAM" -9 -c "$INPUT"', {"m1": 1300, "m20": 57_000, "g1": 2_900_000}),
            "lua5.4": (f'"$PROGRAM" {BENCH / "slice/work.lua"} "$SIZE"', {"m1": 2, "m20": 50, "g1": 2500})}
SCALES = ("m1", "m20", "g1")
LAST, RANDOM, OUTPUT = 40, 40, 20  # criteria


def spawn(words, environment, output):
    """Wall seconds, peak resident MiB and exit status of a process; its standard output goes to a file."""
    with open(output, "wb") as file:
        begin = time.monotonic()
        child = subprocess.Popen(words, env=environment, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.PIPE)
        errors = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in (0, 1):
            raise Failure(f"{' '.join(map(str, words))}: status {child.returncode}: {errors.decode()[-300:]}")
        return time.monotonic() - begin, usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime


def instructions(command, place, environment):
    stripped = place / "stripped"
    subprocess.run(["strip", "-g", "-o", stripped, environment["PROGRAM"]], check=True)
    words = f"valgrind --tool=callgrind --callgrind-out-file=/dev/null {stripped}"
    done = subprocess.run(["bash", "-c", command.replace('"$PROGRAM"', words)], env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    collected = re.search(r"Collected : (\d+)", done.stderr)
    return int(collected.group(1)) if collected else 0


def criteria(dumped, chance):
    """Places to ask for, of what `culprit dump graph --lines` says."""
    lines = [(int(count), place) for count, place in re.findall(r"^ *(\d+) (/.*:\d+)$", dumped, re.M)]
    output = int(re.search(r"^standard output (\d+)$", dumped, re.M).group(1))
    name = {place: place.rsplit("/", 1)[1] for _, place in lines}
    last = [name[place] for _, place in chance.choices(lines, k=LAST)]
    counts = [count for count, _ in lines]
    points = [f"{name[place]}#{chance.randint(1, count)}" for count, place in chance.choices(lines, weights=counts, k=RANDOM)]
    return last + points + [f"stdout:{chance.randrange(output)}" for _ in range(OUTPUT)]


def bench_one(name, scale, arguments, work):
    command, sizes = SUBJECTS[name]
    recipe = load_recipe(BENCH / "clock" / f"{name}.toml")
    toolchain = culprit_toolchain(arguments.build.resolve())
    program = Program(recipe, toolchain, work / recipe.name)
    program.build_native()
    native = program.body(recipe.programs[0], "native")
    place = work / f"{recipe.name}-{scale}"
    place.mkdir(exist_ok=True)
    if name == "bzip2":
        text = subprocess.run([sys.executable, BENCH / "clock/inputs.py", "text", "3"], capture_output=True, check=True).stdout
        (place / "input").write_bytes(text[: sizes[scale]])
    environment = os.environ | program.environment() | {"SIZE": str(sizes[scale]), "INPUT": str(place / "input"), "PROGRAM": str(native),
                                                        "CULPRIT_CACHE": str(program.directory / "cache")}
    if arguments.build_only:
        subprocess.run([toolchain.culprit, "build", "--plan", "trace", native], env=environment, capture_output=True, check=True)
        return {"program": name, "scale": scale}
    row = {"program": name, "scale": scale, "instructions": instructions(command, place, environment)}
    trace = place / "trace"
    shutil.rmtree(trace, ignore_errors=True)
    traced = command.replace('"$PROGRAM"', f"{toolchain.culprit} trace -o {trace} -- {native}")
    row["trace_s"], _, _ = spawn(["bash", "-c", traced], environment, place / "output")
    row["graph_s"], row["graph_mib"], row["graph_cpu_s"] = spawn([toolchain.culprit, "dump", "graph", trace, "--lines"], environment, place / "lines")
    dumped = (place / "lines").read_text()
    row |= {"file_mib": int(re.search(r"^bytes (\d+)", dumped).group(1)) / 2**20,
            "executions": int(re.search(r"^block executions (\d+)", dumped, re.M).group(1))}
    chosen = criteria(dumped, random.Random(f"{name} {scale}"))
    if arguments.criteria:
        chosen = random.Random(1).sample(chosen, min(arguments.criteria, len(chosen)))
    spawn([toolchain.culprit, "slice", trace, "--at", chosen[0]], environment, place / "slice")
    asked = []
    for criterion in chosen:
        seconds, mib, cpu = spawn([toolchain.culprit, "slice", trace, "--at", criterion], environment, place / "slice")
        size = re.search(r"(\d+) lines, (\d+) statement instances\n$", (place / "slice").read_text())
        asked.append({"at": criterion, "ms": 1000 * seconds, "cpu_ms": 1000 * cpu, "mib": mib, "lines": int(size.group(1)), "instances": int(size.group(2))})
    row["asked"] = asked
    for key in ("ms", "cpu_ms", "mib", "instances"):
        values = [each[key] for each in asked]
        row |= {f"median_{key}": statistics.median(values), f"worst_{key}": max(values)}
    if not arguments.keep:
        shutil.rmtree(trace)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="1 and 20 million, 20 criteria")
    parser.add_argument("--criteria", type=int, help="how many criteria (all 100; 20 with --quick)")
    parser.add_argument("--scales", nargs="+", choices=SCALES, help="of which sizes")
    parser.add_argument("--only", nargs="+", choices=SUBJECTS, metavar="NAME", help=f"of: {' '.join(SUBJECTS)}")
    parser.add_argument("--build-only", action="store_true", help="make all executables and inputs ready, measure nothing")
    parser.add_argument("--keep", action="store_true", help="leave the traces under build/bench/slice")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write every figure as JSON as well")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", help="Culprit's build tree (%(default)s)")
    arguments = parser.parse_args()
    arguments.criteria = arguments.criteria or (20 if arguments.quick else None)
    print(f"{'program':<8} {'scale':<5} {'Minstr':>8} {'trace s':>8} {'graph s':>8} {'MiB':>6} {'file MiB':>9} | {'median ms':>9} {'worst ms':>9} "
          f"{'cpu ms':>8} {'worst':>8} {'MiB':>6} {'instances':>11} {'largest':>11}")
    rows, failed = [], False
    for scale in arguments.scales or (SCALES[:2] if arguments.quick else SCALES):
        for name in arguments.only or SUBJECTS:
            try:
                row = bench_one(name, scale, arguments, ROOT / "build/bench/slice")
            except (Failure, subprocess.SubprocessError, OSError) as failure:
                print(f"{name:<8} {scale:<5} not measured: {failure}", flush=True)
                failed = True
                continue
            if arguments.build_only:
                print(f"{name:<8} {scale:<5} ready", flush=True)
                continue
            rows.append(row)
            print(f"{name:<8} {scale:<5} {row['instructions'] / 1e6:>8.1f} {row['trace_s']:>8.1f} {row['graph_s']:>8.1f} {row['graph_mib']:>6.0f} "
                  f"{row['file_mib']:>9.0f} | {row['median_ms']:>9.1f} {row['worst_ms']:>9.1f} {row['median_cpu_ms']:>8.1f} {row['worst_cpu_ms']:>8.1f} "
                  f"{row['worst_mib']:>6.0f} {row['median_instances']:>11.0f} {row['worst_instances']:>11}", flush=True)
    if arguments.build_only:
        return 1 if failed else 0
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")

    def worst(scale, key):
        return max((row[key] for row in rows if row["scale"] == scale), default=float("nan"))

    print(f"slice: m1_ms={worst('m1', 'median_ms'):.0f} m20_ms={worst('m20', 'median_ms'):.0f} g1_ms={worst('g1', 'median_ms'):.0f} "
          f"g1_worst_ms={worst('g1', 'worst_ms'):.0f} mem_mib={max((row['worst_mib'] for row in rows), default=float('nan')):.0f}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
