#!/usr/bin/env python3
"""EPID table I by programs: which kinds are ambiguous, which agree across executions, which comprehend all ways to a
point, and which are ordered; figures 1, 4, 6, 7 and 9 re-created. Usage: check_points.py --build DIR [TEST ...]"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"
SOURCE = HERE.parent.parent / "src"
KINDS = ("pcce", "sic", "sei", "lei", "pepid")
UNIQUE = ("sic", "sei", "lei", "pepid")


class Wrong(Exception):
    pass


def check(condition, text):
    if not condition:
        raise Wrong(text)


class Bench:
    def __init__(self, build, directory):
        self.build, self.directory, self.built = build, directory, {}

    def program(self, name, *flags):
        """Compiles a program of programs/."""
        if name not in self.built:
            source = next(PROGRAMS.glob(name + ".c*"))
            compiler = self.build / "bin" / ("culprit-c++" if source.suffix == ".cc" else "culprit-cc")
            out = self.directory / name
            subprocess.run([compiler, "-O1", "-I", SOURCE, *flags, source, "-o", out], check=True)
            self.built[name] = (source, out)
        return self.built[name]

    def line(self, name, point):
        source, _ = self.program(name)
        for number, text in enumerate(source.read_text().splitlines(), 1):
            if f"// POINT {point}" in text:
                return f"{source.name}:{number}"
        raise Wrong(f"{source} has no POINT {point}")

    def points(self, name, kind, arguments, at=None, options=()):
        """Ids of the first statement of a line, or of all allocations: lists of hashable frames."""
        _, executable = self.program(name)
        where = ["--at", self.line(name, at)] if at else []
        done = subprocess.run([self.build / "bin/culprit", "points", "--json", "--kind", kind, "--limit", "100000", *where,
                               *options, executable, "--", *map(str, arguments)], capture_output=True, text=True, timeout=300)
        check(done.returncode in (0, 1), f"culprit points {name}: {done.stderr}")
        found = json.loads(done.stdout[done.stdout.index('{\n "kind"'):])["points"]
        if at and found:
            first = found[0]["frames"][-1]["statement"]
            found = [each for each in found if each["frames"][-1]["statement"] == first]
        return [(json.dumps(each["frames"]), each.get("count")) for each in found]

    def words(self, name, kind, arguments, at):
        """The most numbers that an id has."""
        return max(sum(2 * len(frame.get("branches", [])) + 1 for frame in json.loads(frames)) for frames, _ in
                   self.points(name, kind, arguments, at))

    def is_unique(self, name, kind, arguments):
        _, executable = self.program(name)
        done = subprocess.run([self.build / "bin/culprit", "points", "--statements", "--unique", "--kind", kind, "--limit", "1000000",
                               executable, "--", *map(str, arguments)], capture_output=True, text=True, timeout=300)
        last = done.stdout.splitlines()[-1]
        check(last.startswith("points-unique: runs=1 instances="), f"{name}: {done.stdout} {done.stderr}")
        words = dict(word.split("=") for word in last.split()[1:])
        check(int(words["instances"]) > 10, f"{name}: hardly any points")
        return int(words["clashes"]) == 0


def test_figure1(bench):
    """SIC and LEI do not agree across executions, SEI and PEPID do; contexts are ambiguous."""
    even_first, odd_first = (2, 4, 5), (3, 4, 5)
    for kind in KINDS:
        left = bench.points("figure1", kind, even_first, "action")
        right = bench.points("figure1", kind, odd_first, "action")
        check(len(left) == 1 and len(right) == 2, f"figure 1, {kind}: {len(left)} and {len(right)} points")
        third = left[0]
        agrees = third == right[1]
        confused = third == right[0]
        if kind in ("sei", "pepid"):
            check(agrees and not confused, f"figure 1: the third iterations have different ids of kind {kind}")
        elif kind == "pcce":
            check(right[0] == right[1], "figure 1: contexts tell iterations apart")
        else:
            check(not agrees, f"figure 1: ids of kind {kind} agree across executions by chance")


def test_figure4(bench):
    """SEI has an id for every way to the call, PEPID one: it is comprehensive."""
    ids = {kind: [bench.points("figure4", kind, way, "action")[0] for way in ((1, 0, 7), (0, 1, 7))] for kind in ("sei", "pepid", "pcce")}
    check(ids["sei"][0] != ids["sei"][1], "figure 4: SEI does not tell the ways apart")
    check(ids["pepid"][0] == ids["pepid"][1], "figure 4: PEPID tells the ways apart")
    check(ids["pcce"][0] == ids["pcce"][1], "figure 4: the contexts differ")


def test_figure6(bench):
    """Two guards; the iterations of two executions agree."""
    for kind in UNIQUE:
        check(bench.is_unique("figure6", kind, (40, 3)), f"figure 6: ids of kind {kind} clash")
    for kind in ("sei", "pepid"):
        short, long = (bench.points("figure6", kind, (10, b), "second") for b in (6, 2))
        check(short and long[:len(short)] == short and len(long) > len(short), f"figure 6: iterations do not agree by {kind}")


def test_figure7(bench):
    for kind in KINDS:
        ids = bench.points("figure7", kind, (2,), "action")
        check(len(ids) == 3, f"figure 7: {len(ids)} points")
        check(ids[2] not in ids[:2], f"figure 7, {kind}: the call behind the loop has an id of one inside")
        check((ids[0] == ids[1]) == (kind == "pcce"), f"figure 7, {kind}: iterations")
    more = bench.points("figure7", "pepid", (5,), "action")
    check(more[-1] == bench.points("figure7", "pepid", (2,), "action")[-1], "figure 7: the call behind the loop depends on the iterations")


def test_figure9(bench):
    """Irreducible loops: unique by all kinds; with no naturalising header the way tells only by option."""
    for kind in UNIQUE:
        check(bench.is_unique("figure9b", kind, ("B" + "C" * 20 + "E",)), f"figure 9 b: ids of kind {kind} clash")
        check(bench.is_unique("figure9c", kind, ("BDCDCDCDCBCBDE",)), f"figure 9 c: ids of kind {kind} clash")
    ways = ("BDCDCDCE", "BCBCBDCE")
    by_headers = [bench.points("figure9c", "pepid", (way,), "c")[-1] for way in ways]
    by_paths = [bench.points("figure9c", "pepid", (way,), "c", ("--paths",))[-1] for way in ways]
    check(by_headers[0] == by_headers[1], "figure 9 c: arrivals at headers are not what is counted")
    check(by_paths[0] != by_paths[1], "figure 9 c: --paths does not tell the ways apart")
    by_structure = [bench.points("figure9c", "sei", (way,), "c")[-1] for way in ways]
    check(by_structure[0] != by_structure[1], "figure 9 c: SEI does not tell the ways apart")


def test_order(bench):
    """Counters and precise ids are ordered; hit counts within a depth; the C interface agrees with itself."""
    _, executable = bench.program("order")
    seen = {}
    for number, kind in enumerate(KINDS_BY_NUMBER, 1):
        done = subprocess.run([bench.build / "bin/culprit", "run", "--plan", f"index-{kind}", executable, "--", str(number)],
                              capture_output=True, text=True, timeout=300)
        check(done.returncode == 0, f"order, {kind}: {done.stdout} {done.stderr}")
        words = done.stdout.splitlines()[-1].split()
        seen[kind] = dict(zip(words[::2], map(int, words[1::2])))
    for kind, counts in seen.items():
        check(sum(counts.values()) > 500, f"order, {kind}: {counts}")
        check(counts["after"] == 0, f"order, {kind}: later points come before: {counts}")
    for kind in ("sic", "pepid"):
        check(seen[kind]["equal"] == 0 and seen[kind]["unsaid"] == 0, f"order, {kind}: {seen[kind]}")
    check(seen["lei"]["equal"] == 0 and seen["sei"]["equal"] == 0, f"order: {seen}")
    check(seen["pcce"]["equal"] > 0, "order: contexts are unique")


def test_dispatch(bench):
    """A loop that is left in several ways: ids stay apart, and structural ones do not grow with its iterations."""
    for kind in UNIQUE:
        check(bench.is_unique("dispatch", kind, (20000,)), f"dispatch: ids of kind {kind} clash")
    short, long = (bench.points("dispatch", "sei", (n,), "act") for n in (40, 80))
    check(long[:len(short)] == short and len(long) > len(short), "dispatch: iterations do not agree by sei")
    other = bench.points("dispatch", "sei", (40, "acbadab"), "act")
    check(other[0] == short[0] and other[5] != short[5], "dispatch: another way through the loop has the same ids")
    sizes = [bench.words("dispatch", "sei", (n,), "act") for n in (40, 4000)]
    check(sizes[0] == sizes[1], f"dispatch: at most {sizes[0]} words after 40 iterations, {sizes[1]} after 4000")


def test_recorded(bench):
    """Ids derived from a traced recording are those that the instrumented program keeps, and a replay goes there."""
    source, executable = bench.program("recorded")
    line = bench.line("recorded", "act")
    culprit, recording = bench.build / "bin/culprit", bench.directory / "recording"
    subprocess.run([culprit, "record", "-o", recording, executable, "5"], check=True, capture_output=True, timeout=300)

    def ids(*words):
        done = subprocess.run([culprit, "points", "--json", "--at", line, *words], capture_output=True, text=True, timeout=300)
        check(done.returncode == 0, f"recorded: {done.stderr}")
        points = json.loads(done.stdout[done.stdout.index('{\n "kind"'):])["points"]
        return [point["id"] for point in points if point["frames"][-1]["statement"] == points[0]["frames"][-1]["statement"]]

    online, offline = ids(executable, "--", "5"), ids(recording)
    check(len(online) > 30 and len(set(online)) == len(online), f"recorded: {len(online)} ids")
    for number, (kept, derived) in enumerate(zip(online, offline)):
        check(kept == derived, f"recorded: point {number} has {kept}, derived {derived}")
    check(len(online) == len(offline), f"recorded: {len(online)} ids, {len(offline)} derived")
    for number in (0, len(online) // 2, len(online) - 1):
        places = []
        for point in (online[number], f"{line}#{number + 1}"):
            done = subprocess.run([culprit, "replay", recording, "--json", "--to", point], capture_output=True, text=True, timeout=300)
            check(done.returncode == 0, f"recorded: {point}: {done.stderr}")
            places.append(json.loads(done.stdout[done.stdout.index("{"):]))
        check(places[0] == places[1], f"recorded: {online[number]} leads elsewhere")


def statements(bench, name, kind, arguments, at):
    return [[frame["statement"] for frame in json.loads(frames)] for frames, _ in bench.points(name, kind, arguments, at)]


def test_contexts(bench):
    """Encoded contexts, decoded, are the calls that precise ids name: recursion, callbacks, pointers, longjmp."""
    contexts, ids = (statements(bench, "recorded", kind, (5,), "act") for kind in ("pcce", "pepid"))
    check(len(ids) > 30 and contexts == ids, f"contexts: {[pair for pair in zip(contexts, ids) if pair[0] != pair[1]][:2]}")


def test_tail_calls(bench):
    """Contexts hold the calls that precise ids name, and perhaps the tail call; those behind it are as they were."""
    contexts, ids = (statements(bench, "tail_calls", kind, (6,), "act") for kind in ("pcce", "pepid"))
    check(len(contexts) == len(ids) == 34, f"tail calls: {len(contexts)} and {len(ids)} points")
    for context, calls in zip(contexts, ids):
        check(all(call in context for call in calls) and len(context) <= len(calls) + 1, f"tail calls: {context} for {calls}")


KINDS_BY_NUMBER = ("pcce", "sic", "sei", "lei", "pepid")


def test_threads(bench):
    """A thread's ids begin with its creation: unique, and equal when more threads are made."""
    few, many = (bench.points("threads", "pepid", (n,), "work") for n in (2, 4))
    check(len(few) == 4 and len(many) == 8, f"threads: {len(few)} and {len(many)} points")
    check(len(set(few)) == len(few) and len(set(many)) == len(many), "threads: ids clash")
    check(set(few) <= set(many), "threads: ids of the same threads differ between executions")


TESTS = {name.removeprefix("test_"): test for name, test in list(globals().items()) if name.startswith("test_")}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("tests", nargs="*", choices=[*TESTS, []])
    arguments = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as directory:
        bench = Bench(arguments.build.resolve(), pathlib.Path(directory))
        for name in arguments.tests or TESTS:
            try:
                TESTS[name](bench)
                print(f"ok {name}")
            except (Wrong, subprocess.SubprocessError) as wrong:
                failed += 1
                print(f"FAILED {name}: {wrong}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
