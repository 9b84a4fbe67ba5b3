#!/usr/bin/env python3
"""What relevant inputs cost: recording a run of jq, expat's xmlwf or bc and finding what its last output comes from, from a
new recording to the answer, against the plain run of the user's own build on the same input; user and system time. What the
same takes on an input of a few bytes is start-up and is taken off both.

Plain runs of small inputs take less than a clock tells, and less than starting a process varies: one run is given the file
many times over, and what each time more takes is the plain run. Instructions are given as well.
"""

import argparse
import json
import os
import pathlib
import random
import resource
import shutil
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
from debian_program import ROOT, Failure, Program, culprit_toolchain, load_recipe  # noqa: E402

PACKAGES = ROOT / "tests/acceptance/packages"
SIZES = (1_000, 10_000, 100_000)
QUICK_SIZES = (1_000, 10_000)


def json_text(size):
    choose = random.Random(size)
    rows, length = [], 0
    while length < size:
        rows.append(json.dumps({"id": len(rows), "name": "".join(choose.choices("abcdefgh", k=8)),
                                "value": choose.uniform(-1000, 1000), "tags": choose.choices(["red", "green", "blue"], k=2),
                                "deep": {"list": [1, 2, choose.randrange(1000)], "none": None, "yes": True}}))
        length += len(rows[-1]) + 2
    return "[" + ",\n".join(rows) + "]\n"


def xml_text(size):
    """Well-formed up to its last tag, which xmlwf tells of."""
    choose = random.Random(size)
    parts, length = ['<?xml version="1.0"?>\n<!DOCTYPE list [<!ENTITY who "someone">]>\n<list>\n'], 0
    while length < size:
        word = "".join(choose.choices("abcdefgh", k=8))
        parts.append(f'<item name="{word}" size="{choose.randrange(10 ** 6)}"><b>{word} &amp; &who;</b><!-- {word} --></item>\n')
        length += len(parts[-1])
    return "".join(parts) + "</lost>\n"


def bc_text(size):
    choose = random.Random(size)
    parts, length = ["define f(n) { auto i, s; s = 0; for (i = 0; i < n; i++) { s = s + i * 3 % 7 }; return (s) }\n"], 0
    while length < size:
        parts.append(f"x{'abcdefgh'[choose.randrange(8)]} = ({choose.randrange(10 ** 9)} * {choose.randrange(10 ** 9)} + {choose.randrange(10 ** 6)}) % {1 + choose.randrange(10 ** 6)}\n")
        length += len(parts[-1])
    return "".join(parts) + "f(10) + xa\n"


PROGRAMS = {
    "jq": {"package": "jq-static", "program": "jq", "input": json_text, "words": ["[.[] | .value] | add"]},
    "xmlwf": {"package": "expat", "program": "expat/xmlwf/xmlwf", "input": xml_text, "words": ["-k"]},  # after a file that is wrong the next
    "bc": {"package": "bc", "program": "bc/bc", "input": bc_text, "words": ["-q"]},
}


def seconds_of(command, environment, folder, answers=(0,), stdin=subprocess.DEVNULL):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, env=environment, cwd=folder, stdin=stdin, capture_output=True, text=True, errors="replace",
                          timeout=900)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if answers and done.returncode not in answers:
        raise Failure(f"{' '.join(map(str, command))}: {done.returncode} {done.stderr[-300:]}")
    return (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime), done


def plain_seconds(program, words, file, environment, folder, times):
    """Of reading the file once more, by one run that reads it often."""
    often = min(seconds_of([program, *words, *[file] * times], environment, folder, answers=None)[0] for _ in range(3))
    once = min(seconds_of([program, *words, file], environment, folder, answers=None)[0] for _ in range(3))
    return (often - once) / (times - 1)


def instructions(program, words, environment, folder):
    stripped = folder / "stripped"
    subprocess.run(["strip", "-g", "-o", stripped, program], check=True)
    _, done = seconds_of(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", stripped, *words], environment,
                         folder, answers=None)
    found = [line for line in done.stderr.splitlines() if "Collected :" in line]
    return int(found[-1].split(":")[-1]) if found else None


def analysed(culprit, program, words, environment, folder):
    """Seconds of recording and of the first question, and the answer."""
    recording = folder / "recording"
    shutil.rmtree(recording, ignore_errors=True)
    recorded, _ = seconds_of([culprit, "record", "-o", recording, "--", program, *words], environment, folder, answers=None)
    asked, done = seconds_of([culprit, "inputs", recording, "--json"], environment, folder)
    again, _ = seconds_of([culprit, "inputs", recording, "--json"], environment, folder)
    kept = sum(each.stat().st_size for each in (recording / "trace").iterdir())
    return {"record_s": recorded, "asked_s": asked, "again_s": again, "total_s": recorded + asked, "kept_mib": kept / 2**20,
            "answer": json.loads(done.stdout)}


def bytes_in(ranges, name):
    return sum(each["bytes"] for each in ranges if each["input"] == name)


def bench_one(name, sizes, arguments):
    what = PROGRAMS[name]
    recipe = load_recipe(PACKAGES / f"{what['package']}.toml")
    toolchain = culprit_toolchain(arguments.build.resolve())
    program = Program(recipe, toolchain, ROOT / "build/bench/relevant-inputs" / what["package"])
    program.build_native()
    native = program.body(what["program"], "native")
    folder = program.directory / f"run-{name}"
    folder.mkdir(exist_ok=True)
    environment = dict(os.environ, **program.environment()) | {"CULPRIT_CACHE": str(program.directory / "inputs-cache")}

    def measured(file, times):
        words = [*what["words"], file]
        ours = [analysed(toolchain.culprit, native, words, environment, folder) for _ in range(arguments.rounds)]
        plain = [plain_seconds(native, what["words"], file, environment, folder, times) for _ in range(arguments.rounds)]
        row = {key: statistics.median(each[key] for each in ours) for key in ours[0] if key != "answer"}
        return row | {"plain_s": statistics.median(plain), "answer": ours[-1]["answer"],
                      "instructions": instructions(native, words, environment, folder)}

    (folder / "start").write_text(what["input"](1))
    analysed(toolchain.culprit, native, [*what["words"], "start"], environment, folder)  # builds what the others use
    start = measured("start", 2)
    for size in sizes:
        file = f"input-{size}"
        (folder / file).write_text(what["input"](size))
        row = measured(file, 2_000_000 // size)
        beyond = row["plain_s"]
        if beyond <= 0:
            raise Failure(f"reading {file} more often takes no more time")
        answer = row.pop("answer")
        yield row | {"program": name, "size": size, "bytes": (folder / file).stat().st_size,
                     "ratio": (row["total_s"] - start["total_s"]) / beyond,
                     "asked_ratio": (row["asked_s"] - start["asked_s"]) / beyond,
                     "again_ratio": (row["again_s"] - start["again_s"]) / beyond,
                     "beyond_instructions": row["instructions"] - start["instructions"],
                     "sets": {role: bytes_in(answer[role], file) for role in ("derived", "control", "address")}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="1 and 10 KB, one round")
    parser.add_argument("--rounds", type=int, help="of each measurement (3; 1 with --quick)")
    parser.add_argument("--only", nargs="+", choices=PROGRAMS, metavar="NAME", help=f"of: {' '.join(PROGRAMS)}")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write every figure as JSON as well")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", help="Culprit's build tree (%(default)s)")
    arguments = parser.parse_args()
    arguments.rounds = arguments.rounds or (1 if arguments.quick else 3)
    print(f"{'program':<8} {'bytes':>7} {'plain ms':>9} {'Minstr':>7} {'record ms':>10} {'first ms':>9} {'again ms':>9} {'kept MiB':>9} {'ratio':>7} "
          f"{'asked':>7} {'again':>7} {'ns/instr':>8} | bytes of the input: derived, control, address")
    rows, failed = [], False
    for name in arguments.only or PROGRAMS:
        try:
            for row in bench_one(name, QUICK_SIZES if arguments.quick else SIZES, arguments):
                rows.append(row)
                sets = row["sets"]
                print(f"{name:<8} {row['bytes']:>7} {1000 * row['plain_s']:>9.2f} {row['beyond_instructions'] / 1e6:>7.1f} {1000 * row['record_s']:>10.0f} "
                      f"{1000 * row['asked_s']:>9.0f} {1000 * row['again_s']:>9.0f} {row['kept_mib']:>9.1f} {row['ratio']:>7.0f} {row['asked_ratio']:>7.0f} {row['again_ratio']:>7.0f} "
                      f"{1e9 * row['asked_s'] / max(row['beyond_instructions'], 1):>8.0f} | {sets['derived']}, {sets['control']}, {sets['address']}", flush=True)
        except (Failure, subprocess.SubprocessError, OSError) as failure:
            print(f"{name:<8} not measured: {failure}", flush=True)
            failed = True
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")
    print(f"relevant-inputs: worst={max((row['ratio'] for row in rows), default=float('nan')):.1f}")
    return 1 if failed or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
