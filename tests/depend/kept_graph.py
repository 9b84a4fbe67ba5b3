#!/usr/bin/env python3
"""The graph that is kept with a trace: made once, made again for another trace, and never trusted.

Usage: kept_graph.py BIN_FOLDER SIGN_GRAPH
"""
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

BIN = pathlib.Path(sys.argv[1]).resolve()
SIGN = pathlib.Path(sys.argv[2]).resolve()
ANSWERED, DAMAGED, LACKING = 0, 2, 3  # exit codes
DAMAGES = 100
FULL_AT = 200_000  # bytes
PROGRAM = """
#include <stdio.h>
int sum(int rounds) { int all = 0; for (int i = 0; i < rounds; ++i) all += i % 7; return all; }
int main(int argc, char** argv) { int result = sum(argc * 30000); printf("%d\\n", result); return 0; }
"""


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        environment = dict(os.environ, CULPRIT_CACHE=str(folder / "cache"))

        def culprit(*words):
            return subprocess.run([BIN / "culprit", *map(str, words)], env=environment, capture_output=True, text=True, timeout=300)

        def ask(trace="trace", more=()):
            return culprit("slice", folder / trace, "--at", "stdout:0", *more)

        source = folder / "prog.c"
        source.write_text(PROGRAM)
        subprocess.run([BIN / "culprit-cc", "-O1", "-g", source, "-o", folder / "prog"], check=True)
        for trace in ("trace", "other"):
            culprit("trace", "-o", folder / trace, "--", folder / "prog", *(["more"] if trace == "other" else []))
        graph = folder / "trace/graph"
        first = ask()
        if first.returncode != ANSWERED or not graph.exists():
            sys.exit(f"no graph is kept: {first.stderr}")
        made = graph.stat().st_mtime_ns
        if ask().stdout != first.stdout or graph.stat().st_mtime_ns != made:
            sys.exit("the second slice does not use the graph of the first")
        if culprit("dump", "graph", folder / "trace").returncode != ANSWERED:
            sys.exit("the graph cannot be dumped")
        # Another trace's graph is none of this one.
        ask("other")
        shutil.copy(folder / "other/graph", graph)
        if ask().stdout != first.stdout:
            sys.exit("the graph of another trace is used")

        # Nothing is left of a graph that could not be written whole.
        def as_on_a_full_disk():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (FULL_AT, FULL_AT))

        good = graph.read_bytes()
        graph.unlink()
        words = [BIN / "culprit", "slice", folder / "trace", "--at", "stdout:0"]
        full = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=300, preexec_fn=as_on_a_full_disk, check=False)
        if len(good) <= FULL_AT or full.returncode != LACKING or "cannot write" not in full.stderr:
            sys.exit(f"a graph that cannot be written: {full.returncode}: {full.stderr}")
        if left := [each.name for each in (folder / "trace").glob("graph*")]:
            sys.exit(f"of a graph that cannot be written {left} is left")

        # Before it is begun, the room is looked at, where a small file system can be had; what a dead process left goes.
        (folder / "trace/graph.999999999").mkdir()
        small = folder / "small"
        small.mkdir()
        commands = f"mount -t tmpfs -o size=256k none {small} || exit 77; cp -r {folder}/other {small}/trace; rm -f {small}/trace/graph; " \
                   f"exec {BIN}/culprit slice {small}/trace --at stdout:0"
        roomless = subprocess.run(["unshare", "--map-root-user", "--mount", "sh", "-c", commands], env=environment, capture_output=True,
                                  text=True, timeout=300, check=False)
        could_mount = roomless.returncode not in (1, 77)  # of unshare, of the shell
        if could_mount and (roomless.returncode != LACKING or "are free in" not in roomless.stderr):
            sys.exit(f"a graph for which there is no room: {roomless.returncode}: {roomless.stderr}")
        if ask().stdout != first.stdout or (folder / "trace/graph.999999999").exists():
            sys.exit("what a dead process left of a graph is still there")

        # Damage is found, or does not matter; the whole file is compared by `dump graph`.
        generator = random.Random(1)
        header_bytes = 56
        for turn in range(DAMAGES):
            bad = bytearray(good)
            if turn % 5 == 0:
                bad = bad[: generator.randrange(header_bytes, len(bad))]
            else:
                at = generator.randrange(header_bytes - 24, len(bad)) if turn % 5 > 1 else len(bad) - 1 - generator.randrange(2000)
                bad[at] ^= 1 << generator.randrange(8)
            graph.write_bytes(bad)
            for answer, may_answer in ((ask(), True), (culprit("dump", "graph", folder / "trace"), False)):
                right = may_answer and answer.returncode == ANSWERED and answer.stdout == first.stdout
                if not right and answer.returncode != DAMAGED:
                    sys.exit(f"damage {turn}: exit status {answer.returncode}\n{answer.stderr}")

        # With right checksums wrong contents give some answer, or an error that says what is wrong.
        noticed = 0
        tail = int.from_bytes(good[32:40], "little")
        for turn in range(DAMAGES):
            bad = bytearray(good)
            for _ in range(1 + turn % 3):
                first_byte = tail if turn % 2 else header_bytes
                at = generator.randrange(first_byte, len(bad) - 8) // 4 * 4
                size = generator.choice((4, 8))
                bad[at:at + size] = generator.choice((0, 1, 2**31, 2**32 - 2, 2**62, 2**63 + 5, generator.getrandbits(20))).to_bytes(8, "little")[:size]
            graph.write_bytes(bad)
            subprocess.run([SIGN, graph], check=True)
            answer = ask(more=(["--json", "--no-edges"], ["--forward"], ["--tree"], [])[turn % 4])
            noticed += answer.returncode == DAMAGED
            if answer.returncode not in (0, 1, DAMAGED):
                sys.exit(f"signed damage {turn}: exit status {answer.returncode}\n{answer.stderr}")
        if noticed in (0, DAMAGES):
            sys.exit(f"of {DAMAGES} signed damages {noticed} were noticed: that tests nothing")


main()
