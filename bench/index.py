#!/usr/bin/env python3
"""What keeping execution-point ids costs (EPID figure 10, table III), beside the published ratios.

User time of every kind against the user's own -O2 build and against the fast bodies, which tick but keep no ids; all
executables of a program run interleaved, and of each the least of its times counts: what else happens on a machine only
adds to them. Memory is the most that a thread's point stack and rows of counters took. --instructions counts what is executed, by
callgrind, in place of time: the same on a busy machine.
"""

import argparse
import json
import os
import pathlib
import re
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from clock import ORDER, Measured, geometric_mean, native_program, place_and_environment, rebuild, row_name  # noqa: E402
from debian_program import ROOT, Failure  # noqa: E402

KINDS = {"pcce": "index-pcce", "sic": "index-sic", "sei": "index-sei", "lei": "index-lei", "pepid": "index-pepid",
         "pepid_alloc": "index-pepid-alloc"}
PUBLISHED = {"pcce": 1.08, "sic": 1.09, "sei": 4.14, "lei": 1.70, "pepid": 1.25}
TARGETS = {"pcce": 1.03, "sic": 1.06, "sei": 1.6, "lei": 1.2, "pepid": 1.02}
REPORT_HEAD = struct.Struct("<IIIIQQ")  # format::ReportHead


def peak_of_points(variant, command, place, environment, limit):
    """Bytes, from a run of its own: reporting starts the runtime's file."""
    report = place / "points"
    report.unlink(missing_ok=True)
    values = dict(environment, PROGRAM=str(variant.executable), WRAPPER="", CULPRIT_POINTS=f"0 1 {report}")
    with open(os.devnull, "wb") as nowhere:
        subprocess.run(["timeout", str(limit), "bash", "-c", command], cwd=place, env=values, stdin=subprocess.DEVNULL,
                       stdout=nowhere, stderr=nowhere, check=False)
    if not report.exists():
        raise Failure(f"{variant.executable} reported nothing")
    head = REPORT_HEAD.unpack(report.read_bytes()[:REPORT_HEAD.size])
    if head[3] != 1:
        raise Failure(f"{variant.executable} did not end by exit")
    return head[5]


def count_instructions(variant, command, place, environment):
    """By callgrind, which does not read the debug information of clang 19."""
    stripped, counts = place / "stripped", place / "counts"
    subprocess.run(["strip", "-g", "-o", stripped, variant.executable], check=True)
    counts.unlink(missing_ok=True)
    values = dict(environment, PROGRAM=str(stripped))
    wrapper = f"valgrind -q --tool=callgrind --callgrind-out-file={counts}"
    with open(os.devnull, "wb") as nowhere:
        subprocess.run(["bash", "-c", f"exec {wrapper} {command}"], cwd=place, env=values, stdin=subprocess.DEVNULL,
                       stdout=nowhere, stderr=nowhere, check=False)
    total = re.search(r"^(?:summary|totals): (\d+)", counts.read_text() if counts.exists() else "", re.MULTILINE)
    if not total:
        raise Failure(f"callgrind counted nothing of {variant.executable}")
    return int(total.group(1))


def row_of_instructions(name, program, variants, place, environment):
    counts = {key: count_instructions(variant, program.recipe.other["run"], place, environment) for key, variant in variants.items()}
    keys = [key for key in KINDS if key in variants]
    return {"program": row_name(name, program), "remarks": [], "native_seconds": counts["native"] / 1e9, "fast": counts["fast"] / counts["native"],
            "ratio": {key: counts[key] / counts["native"] for key in keys}, "over_fast": {key: counts[key] / counts["fast"] for key in keys},
            "bytes": {}, "instructions": counts}


def build_variants(program, arguments):
    """The program's executables; those that these very tools have built are there already."""
    executable = program.recipe.programs[0]
    variants = {"native": Measured(program.body(executable, "native"))}
    for key, plan in {"fast": "fast", **KINDS}.items():
        if arguments.kinds and key not in ("fast", *arguments.kinds):
            continue
        rebuild(program, plan, arguments.build.resolve())
        variants[key] = Measured(program.body(executable, plan))
    return variants


def bench_one(name, arguments, work):
    program, remarks = native_program(name, arguments.build.resolve(), work)
    variants = build_variants(program, arguments)
    place, environment = place_and_environment(program, arguments.quick or arguments.instructions)
    rules = program.recipe.other
    if arguments.build_only:
        return {"program": row_name(name, program)}
    if arguments.instructions:
        return row_of_instructions(name, program, variants, place, environment)
    for _ in range(arguments.rounds):
        for variant in variants.values():
            variant.run(rules["run"], place, environment, 600, rules.get("ignore"))
    wrong = [key for key, variant in variants.items() if variant.outcome != variants["native"].outcome]
    if wrong:
        raise Failure(f"other output than native: {' '.join(wrong)}")
    least = {key: min(variant.seconds) for key, variant in variants.items()}
    native, fast = least["native"], least["fast"]
    keys = [key for key in KINDS if key in variants]
    return {"program": row_name(name, program), "remarks": remarks, "native_seconds": native, "fast": fast / native,
            "ratio": {key: least[key] / native for key in keys},
            "over_fast": {key: least[key] / fast for key in keys},
            "bytes": {key: peak_of_points(variants[key], rules["run"], place, environment, 600) for key in keys},
            "seconds": {key: variant.seconds for key, variant in variants.items()}}


def print_row(name, seconds, fast, row):
    cells = " ".join(f"{row[key]:>11.3f}" if key in row else f"{'-':>11}" for key in KINDS)
    print(f"{name:<22} {seconds:>8} {fast:>7.3f} {cells}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small inputs, three rounds")
    parser.add_argument("--rounds", type=int, help="rounds (5; 3 with --quick)")
    parser.add_argument("--only", nargs="+", choices=ORDER, metavar="NAME", help=f"of: {' '.join(ORDER)}")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, metavar="KIND", help=f"of: {' '.join(KINDS)}")
    parser.add_argument("--instructions", action="store_true", help="executed instructions in place of times, with small inputs")
    parser.add_argument("--build-only", action="store_true", help="make all executables and inputs ready, measure nothing")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write every figure as JSON as well")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", help="Culprit's build tree (%(default)s)")
    arguments = parser.parse_args()
    arguments.rounds = arguments.rounds or (3 if arguments.quick else 5)

    measure = "instructions" if arguments.instructions else f"user time, the least of {arguments.rounds} interleaved rounds"
    print(f"{measure}; first against native -O2, then against the fast bodies")
    print(f"{'program':<22} {'native G' if arguments.instructions else 'native s':>8} {'fast':>7} " + " ".join(f"{key:>11}" for key in KINDS))
    rows, failed = [], False
    for name in arguments.only or ORDER:
        try:
            row = bench_one(name, arguments, ROOT / "build/bench/index")
        except Failure as failure:
            failed = True
            print(f"{name:<22} not measured: {failure}" + (f" (log: {failure.log})" if failure.log else ""), flush=True)
            continue
        if arguments.build_only:
            print(f"{row['program']:<22} ready", flush=True)
            continue
        rows.append(row)
        print_row(row["program"], f"{row['native_seconds']:.2f}", row["fast"], row["ratio"])
        print_row("  over fast", "", 1.0, row["over_fast"])
        if row["bytes"]:
            print("  KiB" + " " * 35 + " ".join(f"{row['bytes'][key] / 1024:>11.1f}" if key in row["bytes"] else f"{'-':>11}" for key in KINDS))
    if arguments.build_only:
        return 1 if failed else 0
    keys = [key for key in KINDS if any(key in row["ratio"] for row in rows)]
    means = {key: geometric_mean([row["ratio"][key] for row in rows]) for key in keys}
    over_fast = {key: geometric_mean([row["over_fast"][key] for row in rows]) for key in keys}
    if rows:
        print_row("geomean", "", geometric_mean([row["fast"] for row in rows]), means)
        print_row("  over fast", "", 1.0, over_fast)
        print_row("published", "", 1.0, PUBLISHED)
        print_row("target", "", 1.0, TARGETS)
    if arguments.json:
        arguments.json.write_text(json.dumps({"rows": rows, "geomean": means, "over_fast": over_fast, "targets": TARGETS}, indent=1) + "\n")
    words = [f"{key}={means[key]:.3f}" for key in keys]
    for key in () if arguments.instructions else ("pepid", "sei"):
        peaks = [row["bytes"][key] for row in rows if key in row["bytes"]]
        words.append(f"{key}_mem_kib={max(peaks, default=0) / 1024:.1f}")
    print(("index-instructions: " if arguments.instructions else "index: ") + " ".join(words))
    return 1 if failed or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
