#!/usr/bin/env python3
"""Differential fuzzing: programs that csmith generates must behave alike natively, fast and observed.

Exit status and output must be equal, and the software clock must have ticked equally often in all rebuilt executables.
Seeds are fixed, so every run examines the same programs. A program that the native build does not finish within the
time limit says nothing and the next seed takes its place. So does one that differs but that the user's compiler, too,
gives another behaviour at another level: what it does is left open by C (csmith's programs may loop for ever, which an
optimiser need not keep). A program that differs is kept under build/fuzz/.
"""

import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
from debian_program import PLANS, ROOT  # noqa: E402

FIRST_SEED = 20001
NATIVE_LIMIT = 5  # seconds
PLAN_LIMIT = 60  # an observed body may be slower, not this much
BUILD_LIMIT = 300


@dataclasses.dataclass
class Behaviour:
    status: int | str
    output: bytes
    ticks: int | None = None  # of rebuilt executables


def behaviour(command, limit, directory):
    counts = directory / "counts"
    counts.unlink(missing_ok=True)
    environment = dict(os.environ, CULPRIT_CACHE=str(directory / "cache"), CULPRIT_COUNTS=str(counts))
    try:
        finished = subprocess.run(command, cwd=directory, env=environment, capture_output=True, timeout=limit, stdin=subprocess.DEVNULL, check=False)
    except subprocess.TimeoutExpired:
        return Behaviour("timeout", b"")
    ticks = json.loads(counts.read_text())["ticks"] if counts.exists() else None
    return Behaviour(finished.returncode, finished.stdout + finished.stderr, ticks)


def csmith_headers():
    """Where Debian puts csmith.h."""
    for directory in (pathlib.Path("/usr/include/csmith"), *pathlib.Path("/usr/include").glob("csmith-*")):
        if (directory / "csmith.h").is_file():
            return str(directory)
    sys.exit("fuzz: csmith's headers are missing: run tools/install-deps --tests")


def natively_alike(source, expected, level, binaries, headers, directory):
    """Whether the user's own build does the same at another level of optimisation."""
    other = directory / f"native{level}"
    command = [str(binaries / "culprit-cc"), level, "-w", "-isystem", headers, str(source), "-o", str(other)]
    if behaviour(command, BUILD_LIMIT, directory).status != 0:
        return True
    found = behaviour([str(other)], NATIVE_LIMIT, directory)
    return (found.status, found.output) == (expected.status, expected.output)


def examine(seed, binaries, headers):
    """None: the seed says nothing. Otherwise the differences found, as lines."""
    # Every third program is built without optimisation, as users do while they debug.
    level = "-O0" if seed % 3 == 0 else "-O2"
    directory = pathlib.Path(tempfile.mkdtemp(prefix=f"culprit-fuzz-{seed}-"))
    keep = False
    try:
        source, native = directory / "program.c", directory / "native"
        generated = behaviour(["csmith", "--seed", str(seed), "--output", str(source)], NATIVE_LIMIT * 4, directory)
        if generated.status != 0:
            return None
        compiled = behaviour([str(binaries / "culprit-cc"), level, "-w", "-isystem", headers, str(source), "-o", str(native)], BUILD_LIMIT, directory)
        if compiled.status != 0:
            keep = True
            return [f"culprit-cc {level}: status {compiled.status}"]
        expected = behaviour([str(native)], NATIVE_LIMIT, directory)
        if expected.status == "timeout":
            return None
        wrong, ticks = [], set()
        for plan in PLANS:
            rebuilt = directory / plan
            built = behaviour([str(binaries / "culprit"), "build", "--plan", plan, str(native), "-o", str(rebuilt)], BUILD_LIMIT, directory)
            (directory / f"{plan}.log").write_bytes(built.output)
            if built.status != 0:
                wrong.append(f"culprit build --plan {plan}: status {built.status}")
                continue
            found = behaviour([str(rebuilt)], PLAN_LIMIT, directory)
            ticks.add(found.ticks)
            if (found.status, found.output) != (expected.status, expected.output):
                wrong.append(f"{plan} {level}: status {found.status} where {expected.status} is native, "
                             f"output {found.output[-60:]!r} where {expected.output[-60:]!r}")
        if wrong and not natively_alike(source, expected, "-O2" if level == "-O0" else "-O0", binaries, headers, directory):
            return None
        if not wrong and (len(ticks) != 1 or None in ticks):
            wrong.append(f"{level}: ticks differ: {ticks}")
        keep = bool(wrong)
        return wrong
    finally:
        shutil.rmtree(directory / "cache", ignore_errors=True)
        if keep:
            place = ROOT / "build/fuzz" / str(seed)
            shutil.rmtree(place, ignore_errors=True)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(directory, place)
        else:
            shutil.rmtree(directory, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, help="programs to examine (200; 20 with --quick)")
    parser.add_argument("--seed", type=int, default=FIRST_SEED, help="the first seed (%(default)s)")
    parser.add_argument("--quick", action="store_true", help="20 programs")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="programs at a time (%(default)s)")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write the failures as JSON as well")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", help="Culprit's build tree (%(default)s)")
    arguments = parser.parse_args()
    cases = arguments.cases or (20 if arguments.quick else 200)
    binaries, headers = arguments.build.resolve() / "bin", csmith_headers()
    if not shutil.which("csmith"):
        sys.exit("fuzz: csmith is missing: run tools/install-deps --tests")

    failures, examined, seed = {}, 0, arguments.seed
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        while examined < cases:
            seeds = range(seed, seed + cases - examined)
            seed = seeds.stop
            for number, wrong in zip(seeds, pool.map(lambda s: examine(s, binaries, headers), seeds)):
                examined += wrong is not None
                if wrong:
                    failures[number] = wrong
                    print(f"seed {number}: {'; '.join(wrong)} (kept in build/fuzz/{number})", flush=True)
                elif wrong is not None and examined % 20 == 0:
                    print(f"{examined} of {cases} examined", file=sys.stderr, flush=True)
            if seed - arguments.seed > 20 * cases:
                sys.exit("fuzz: csmith's programs do not finish")
    if arguments.json:
        arguments.json.write_text(json.dumps({"cases": examined, "failures": failures}, indent=1) + "\n")
    print(f"fuzz: cases={examined} failed={len(failures)}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
