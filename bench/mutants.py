#!/usr/bin/env python3
"""Predicate switching at scale: mutants of real programs, explained by `culprit why`.

A program is built once with many mutants in it (mutants/mutate.cc), of which the environment chooses one. A mutant is
killed by the first of the program's tests (mutants/NAME.toml) that ends otherwise than without; that run is explained
with the right output as expectation, as its user would do. Told are the share with a critical branch (published: 80 %
on Siemens' programs, of branches switched in one execution), the share that anything repairs (a branch, a pair, another
value, something left out), the seconds, without those for building the program's plans once, and the rank of the mutated
line among the suspects.

What was examined is kept in the work folder (results-SEED-BUILD.jsonl, and what `why` said in said/): the same build of
Culprit, run again, goes on where it was stopped, and a run that is interrupted tells what it has. One run at a time may
use a work folder.
"""

import argparse
import collections
import concurrent.futures
import fcntl
import hashlib
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import threading
import time
import tomllib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
from cases import build_plans  # noqa: E402
from debian_program import ROOT, Failure, Program, Toolchain, load_recipe  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent / "mutants"
TEST_LIMIT = 5  # seconds
WHY_LIMIT = 120

# What `why` may find that repairs the run, by how it is told, the strongest first.
REPAIRS = {"critical": "critical", "pair": "pair", "value": "value", "left out": "left_out"}

Ended = collections.namedtuple("Ended", "status output")


class MutatedProgram:
    def __init__(self, name, directory, binaries, plugin):
        self.table = tomllib.loads((HERE / f"{name}.toml").read_text())
        self.name = name
        self.directory = directory / name
        recipe = load_recipe(ROOT / "tests/acceptance/packages" / f"{self.table['recipe']}.toml")
        # In the folder that every new build removes first: a build that is interrupted leaves no list of half of it.
        self.list = self.directory / "mutants.list"
        recipe.environment = dict(recipe.environment, CULPRIT_BIN=str(binaries), MUTATE_PLUGIN=str(plugin),
                                  MUTATE_SOURCE=hashlib.sha256((HERE / "mutate.cc").read_bytes()).hexdigest(),
                                  MUTANTS_LIST=str(self.list), MUTANTS_ONE_OF=str(self.table["one_of"]))
        self.program = Program(recipe, Toolchain(str(HERE / "mutating-cc"), str(binaries / "culprit-c++")), self.directory)
        self.path = self.program.source / self.table["program"]
        self.culprit = binaries / "culprit"

    def build(self):
        self.program.build_native()
        self.tests = self.table["test"]
        for number, test in enumerate(self.tests):
            (self.directory / f"stdin-{number}").write_text(test.get("stdin", ""))
        self.right = [self.run(number, 0) for number in range(len(self.tests))]
        for number, ended in enumerate(self.right):
            (self.directory / f"expected-{number}").write_bytes(ended.output if ended else b"")
        for number, ended in enumerate(self.right):
            if ended is None or ended != self.run(number, 0):
                raise Failure(f"test {number} of {self.name} does not end the same way each time")

    def build_plans(self):
        """What the first `culprit why` of a program builds, which is not counted to a mutant."""
        build_plans(self.culprit, self.path, self.directory, self.environment(0))

    def mutants(self):
        """Those of the finished program: what the configure step compiled is in the list, too."""
        unique = {}
        for line in self.list.read_text().splitlines():
            mutant = json.loads(line)
            if mutant["file"].split("/")[-1] not in ("conftest.c",):
                unique[mutant["id"]] = mutant
        return list(unique.values())

    def environment(self, mutant):
        return dict(os.environ, LC_ALL="C", TZ="UTC", CULPRIT_MUTANT=str(mutant), CULPRIT_CACHE=str(self.directory / "why-cache"))

    def run(self, number, mutant):
        """How a test ends; None when it takes too long."""
        with open(self.directory / f"stdin-{number}", "rb") as stdin:
            try:
                ended = subprocess.run([self.path, *self.tests[number].get("arguments", [])], stdin=stdin, capture_output=True,
                                       env=self.environment(mutant), timeout=TEST_LIMIT, cwd=self.directory, check=False)
            except subprocess.TimeoutExpired:
                return None
        return Ended(ended.returncode, ended.stdout)

    def killing_test(self, mutant):
        return next((n for n in range(len(self.tests)) if self.run(n, mutant) != self.right[n]), None)

    def explain(self, number, mutant):
        command = [self.culprit, "why", "--json", "--timeout", "2", "--tries", "20", "--expect", self.directory / f"expected-{number}",
                   "--expect-exit", str(self.right[number].status), "--", self.path, *self.tests[number].get("arguments", [])]
        start = time.monotonic()
        with open(self.directory / f"stdin-{number}", "rb") as stdin:
            try:
                finished = subprocess.run(command, stdin=stdin, capture_output=True, env=self.environment(mutant),
                                          timeout=WHY_LIMIT, cwd=self.directory, check=False)
            except subprocess.TimeoutExpired as limit:
                raise Failure(f"culprit why: more than {WHY_LIMIT} s") from limit
        seconds = time.monotonic() - start
        if finished.returncode not in (0, 1):
            raise Failure(f"culprit why: status {finished.returncode}: {finished.stderr[-300:].decode(errors='replace')}")
        said = self.directory / "said" / f"{mutant}.json"
        said.parent.mkdir(exist_ok=True)
        said.write_bytes(finished.stdout)
        return json.loads(finished.stdout), seconds


def is_at(place, mutant):
    return pathlib.Path(place["file"]).name == pathlib.Path(mutant["file"]).name and place["line"] == mutant["line"]


def proved(said, *kinds):
    return [f for f in said["findings"] if f["kind"] in kinds and f["proved"]]


def examine_mutant(program, mutant):
    """What is kept of a mutant: without `test` when no test kills it, with `problem` when it was not explained."""
    result = {"program": program.name, **mutant}
    number = program.killing_test(mutant["id"])
    if number is None:
        return result
    result["test"] = number
    start = time.monotonic()
    try:
        said, seconds = program.explain(number, mutant["id"])
    except Failure as failure:
        return {**result, "problem": str(failure), "kind": None, "critical": False, "one_execution": False, "pair": False,
                "value": False, "left_out": False, "critical_in_function": False, "rank": None, "experiments": 0, "complete": False,
                "seconds": round(time.monotonic() - start, 2)}
    critical = proved(said, "critical-branch")
    return {**result, "kind": (said["failure"] or {}).get("kind"), "critical": bool(critical),
            "one_execution": any(f["executions"] == "one" for f in critical),
            "pair": bool(proved(said, "critical-pair")), "value": bool(proved(said, "critical-value")),
            "left_out": bool(proved(said, "critical-call", "critical-write")),
            "critical_in_function": any(f["function"] == mutant["function"] for f in critical),
            "rank": next((s["rank"] for s in said["suspects"] if is_at(s, mutant)), None),
            "experiments": said["experiments"], "complete": said["complete"], "seconds": round(seconds, 2)}


class Results:
    """The mutants examined so far, in a file of a line each."""

    def __init__(self, path):
        self.path = path
        self.lock = threading.Lock()
        self.interrupted = False
        lines = path.read_text().splitlines(keepends=True) if path.exists() else []
        # What was being written when the machine stopped is not a line.
        whole = [line for line in lines if line.endswith("\n")]
        if whole != lines:
            path.write_text("".join(whole))
        self.known = {(r["program"], r["id"]): r for r in map(json.loads, whole)}

    def get(self, program, mutant):
        return self.known.get((program.name, mutant["id"]))

    def add(self, result):
        with self.lock:
            self.known[result["program"], result["id"]] = result
            with open(self.path, "a") as file:
                file.write(json.dumps(result) + "\n")
        if "test" in result:
            found = next((name for name, member in REPAIRS.items() if result[member]), "-")
            print(f"{result['program']:8} {result['operator']:18} {pathlib.Path(result['file']).name}:{result['line']:<6} "
                  f"{result['kind'] or 'none':16} {found:9} rank {result['rank'] or '-':>2}  {result['seconds']:5.1f} s",
                  file=sys.stderr, flush=True)


def examine(program, wanted, seed, jobs, results):
    """The first so many killed mutants in the order of the seed."""
    mutants = program.mutants()
    random.Random(seed).shuffle(mutants)
    begun = []
    lock = threading.Lock()

    def next_mutant():
        with lock:
            if results.interrupted:
                return None
            known = [results.get(program, mutant) for mutant in begun]
            if len(begun) == len(mutants) or sum("test" in (each or {}) for each in known) >= wanted:
                return None
            begun.append(mutants[len(begun)])
            return begun[-1]

    def work():
        while mutant := next_mutant():
            if results.get(program, mutant) is None:
                results.add(examine_mutant(program, mutant))

    try:
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for worker in [pool.submit(work) for _ in range(jobs)]:
                worker.result()
    except KeyboardInterrupt:
        results.interrupted = True
    examined = [results.get(program, mutant) or {} for mutant in begun]
    return [each for each in examined if "test" in each][:wanted]


def build_of(binaries):
    """What tells one build of Culprit from another."""
    parts = [p for p in sorted((binaries.parent / "lib/culprit").iterdir()) if p.is_file() and p.suffix != ".d"]
    contents = [path.read_bytes() for path in (binaries / "culprit", *parts)]
    return hashlib.sha256(b"".join(contents)).hexdigest()[:12]


def main():
    names = sorted(path.stem for path in HERE.glob("*.toml"))
    parser = argparse.ArgumentParser(prog="bench/run mutants", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="four killed mutants a program")
    parser.add_argument("--killed", type=int, default=40, help="killed mutants a program (40)")
    parser.add_argument("--only", action="append", choices=names)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, help="mutants at a time (2)")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build/mutants")
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    work = arguments.work.resolve()
    only_one = open(work / "lock", "w")
    try:
        fcntl.flock(only_one, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        parser.error(f"another run works in {work}; give this one a folder of its own (--work)")
    plugin = work / "mutate.so"
    flags = subprocess.run(["llvm-config-19", "--cppflags"], capture_output=True, text=True, check=True).stdout.split()
    subprocess.run(["clang++-19", "-std=c++20", "-O1", "-fno-rtti", "-fPIC", "-shared", *flags, HERE / "mutate.cc", "-o", plugin], check=True)
    binaries = arguments.build.resolve() / "bin"
    kept = Results(work / f"results-{arguments.seed}-{build_of(binaries)}.jsonl")
    results, problems = [], []
    for name in arguments.only or names:
        try:
            program = MutatedProgram(name, work, binaries, plugin)
            program.build()
            program.build_plans()
            results += examine(program, 4 if arguments.quick else arguments.killed, arguments.seed, arguments.jobs, kept)
        except Failure as failure:
            problems.append(f"{name}: {failure}" + (f" (see {failure.log})" if failure.log else ""))
        except KeyboardInterrupt:
            kept.interrupted = True
        if kept.interrupted:
            problems.append(f"interrupted at {name}; what is below is what there was")
            break
    print(f"{'program':10} {'killed':>6} {'critical':>8} {'one exec.':>9} {'in its function':>15} {'pair':>5} {'value':>5} {'left out':>8} {'top1':>5} {'top3':>5} {'top10':>5} {'median s':>8}")
    for name in sorted({r["program"] for r in results}):
        print(row(name, [r for r in results if r["program"] == name]))
    for operator in sorted({r["operator"] for r in results}):
        print(row(operator[:10], [r for r in results if r["operator"] == operator]))
    for result in results:
        if "problem" in result:
            print(f"not explained: {result['program']} mutant {result['id']}: {result['problem']}")
    for problem in problems:
        print(f"not examined: {problem}")
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1))
    ranks = [r["rank"] or 99 for r in results]
    print(f"mutants: killed={len(results)} critical={sum(r['critical'] for r in results)} "
          f"one_execution={sum(r['one_execution'] for r in results)} "
          f"repaired={sum(any(r[each] for each in REPAIRS.values()) for r in results)} "
          f"median_s={statistics.median([r['seconds'] for r in results] or [0]):.1f} "
          f"rank_median={statistics.median(ranks or [0]):.0f} top3={sum(rank <= 3 for rank in ranks)}")
    return 1 if problems or not results else 0


def row(name, results):
    ranks = [r["rank"] or 99 for r in results]
    return (f"{name:10} {len(results):6} {sum(r['critical'] for r in results):8} {sum(r['one_execution'] for r in results):9} {sum(r['critical_in_function'] for r in results):15} "
            f"{sum(r['pair'] for r in results):5} {sum(r['value'] for r in results):5} {sum(r['left_out'] for r in results):8} "
            f"{sum(r <= 1 for r in ranks):5} {sum(r <= 3 for r in ranks):5} {sum(r <= 10 for r in ranks):5} "
            f"{statistics.median(r['seconds'] for r in results):8.1f}")


if __name__ == "__main__":
    sys.exit(main())
