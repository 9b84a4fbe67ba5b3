#!/usr/bin/env python3
"""Recording and replay against native runs: bench/run record [--quick] [--only KIND…] [--json FILE] [--culprit PATH]

Programs that compute: the set of bench/run clock, whose recordings run the fast build (with ticks) and are compared with
the user's own -O2 build. Programs bound by system calls, threaded ones and some more that compute: unmodified programs of
the system. Each is run natively, recorded and replayed, alternating, several times; the best of each counts (other work
on the machine only ever adds). Threaded programs are compared with the same program pinned to one core, because one
thread runs at a time while recording. Where strace is installed it is measured, too (rr needs hardware counters).
"""
import argparse
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from clock import ORDER, RECIPES, rebuild  # noqa: E402
from debian_program import ROOT as REPOSITORY  # noqa: E402
from debian_program import Failure, Program, culprit_toolchain, load_recipe, run_limited  # noqa: E402

KINDS = ("clock", "cpu", "call", "thread")


def seconds(command, status=0, **options):
    start = time.perf_counter()
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
                          **options)
    if done.returncode != status:
        raise Failure(f"{' '.join(map(str, command))}: status {done.returncode}")
    return time.perf_counter() - start


class Plain:
    """An unmodified program of the system."""

    def __init__(self, name, kind, command):
        self.name, self.kind, self.command = name, kind, command
        self.status = 0
        self.native_command = ["taskset", "-c", "0", *command] if kind == "thread" else command

    def native(self):
        return seconds(self.native_command)

    def record(self, words, environment):
        return seconds([*words, "--", *self.command], env=environment)


class Captured:
    """A program of the clock set: its shell command with the native build, or the fast one under `culprit record`."""

    kind = "clock"

    def __init__(self, name, program, quick):
        recipe = program.recipe
        rules = recipe.other
        self.name = name
        self.place = program.directory / "run"
        self.command = rules["run"]
        self.status = rules.get("status", 0)
        inputs = program.directory / "input"
        for directory in (self.place, inputs):
            directory.mkdir(exist_ok=True)
        self.environment = dict(program.environment(), SIZE=str(rules["quick_size"] if quick else rules["size"]),
                                INPUT=str(inputs), BENCH=str(RECIPES))
        self.native_body, self.fast_body = (str(program.body(recipe.programs[0], body)) for body in ("native", "fast"))
        if "prepare" in rules:
            log = program.log("prepare")
            if run_limited(rules["prepare"], inputs, dict(self.environment, PROGRAM=self.native_body), log, 600).status != 0:
                raise Failure("the input could not be made", log)

    def run(self, wrapper, body, environment, status):
        return seconds(["bash", "-c", f"exec {wrapper} {self.command}"], status, cwd=self.place, env=dict(environment, **self.environment, PROGRAM=body))

    def native(self):
        return self.run("", self.native_body, os.environ, self.status)

    def record(self, words, environment):
        return self.run(" ".join(map(str, [*words, "--as-is", "--"])), self.fast_body, environment, 0)


def captured(name, culprit, quick):
    """Builds a program of the clock set, or what stands in for it."""
    build = culprit.parent.parent
    recipe = load_recipe(RECIPES / f"{name}.toml")
    try:
        program = Program(recipe, culprit_toolchain(build), REPOSITORY / "build/bench/clock" / recipe.name)
        program.build_native()
    except Failure:
        if "stand_in" not in recipe.other:
            raise
        return captured(recipe.other["stand_in"], culprit, quick)
    rebuild(program, "fast", build)
    return Captured(recipe.name, program, quick)


def programs(folder, quick):
    """(name, kind, command); kinds: cpu, call, thread."""
    if shutil.which("git"):
        repository = folder / "repository"
        for i in range(40):
            (repository / str(i)).mkdir(parents=True)
            for j in range(50):
                (repository / str(i) / str(j)).write_text(f"{i} {j}\n")
        git = ["git", "-C", repository, "-c", "user.name=a", "-c", "user.email=a@b"]
        for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
            subprocess.run([*git, *words], check=True)
    data = folder / "data"
    data.write_bytes(b"".join(b"%d %x\n" % (i * 7919 % 100003, i) for i in range(200000 if quick else 1000000)))
    rounds = 300000 if quick else 3000000
    loops = rounds if quick else 10 * rounds  # a second or two: starting a program costs some milliseconds more, not a share
    candidates = [
        ("gzip", "cpu", ["gzip", "-9kc", str(data)]),
        ("sort", "cpu", ["sort", "--parallel=1", "-n", str(data)]),
        ("python", "cpu", ["/usr/bin/python3", "-c", f"print(sum(i * i % 7 for i in range({loops})))"]),
        ("perl", "cpu", ["perl", "-e", f"my $s = 0; for my $i (1 .. {loops}) {{ $s += $i * $i % 7 }} print $s"]),
        ("dd bs=1", "call", ["dd", "if=/dev/zero", "of=/dev/null", "bs=1", f"count={rounds // 30}"]),
        ("find", "call", ["find", "/usr/share"]),
        ("du", "call", ["du", "-s", "/usr/share/doc"]),
        ("git status", "call", ["git", "-C", str(folder / "repository"), "status"]),
        ("pigz", "thread", ["pigz", "-9kc", "-p2", str(data)]),
        ("xz -T2", "thread", ["xz", "-1", "-T2", "--block-size=1000000", "-kc", str(data)]),
    ]
    return [each for each in candidates if shutil.which(each[2][0])]


def measure(culprit, program, folder, times):
    recording = folder / "recording"
    environment = dict(os.environ, CULPRIT_RECORDINGS=str(folder))
    best = {"native": math.inf, "record": math.inf, "replay": math.inf}
    for _ in range(times):
        shutil.rmtree(recording, ignore_errors=True)
        best["native"] = min(best["native"], program.native())
        best["record"] = min(best["record"], program.record([culprit, "record", "-o", recording], environment))
        manifest = json.loads((recording / "manifest.json").read_text())
        if (manifest["exit_signal"], manifest["exit_status"]) != (0, program.status):
            raise Failure(f"recorded, it ends with signal {manifest['exit_signal']}, status {manifest['exit_status']}")
        best["replay"] = min(best["replay"], seconds([culprit, "replay", recording], env=environment))
    result = {"name": program.name, "kind": program.kind, "seconds": best, "events": manifest["events"],
              "record": best["record"] / best["native"], "replay": best["replay"] / best["native"],
              "log_bytes_per_second": (recording / "log").stat().st_size / best["record"]}
    if program.kind == "call" and shutil.which("strace"):
        result["strace"] = seconds(["strace", "-f", "-o", "/dev/null", *program.command]) / best["native"]
    return result


def geomean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small inputs, fewer runs")
    parser.add_argument("--json", metavar="FILE", help="also write the figures there")
    parser.add_argument("--only", nargs="+", choices=KINDS, default=KINDS, metavar="KIND", help=f"of: {' '.join(KINDS)}")
    parser.add_argument("--culprit", type=pathlib.Path, default=REPOSITORY / "build/release/bin/culprit")
    options = parser.parse_args()
    culprit = options.culprit.resolve()
    if not os.access(culprit, os.X_OK):
        sys.exit(f"bench/record: {culprit} is missing; build first, or name it with --culprit")
    results = []
    failed = False
    with tempfile.TemporaryDirectory(prefix="culprit-bench-") as folder:
        folder = pathlib.Path(folder)
        print(f"{'program':10} {'kind':7} {'native':>8} {'record':>8} {'replay':>8} {'strace':>8} {'events':>9} {'log kB/s':>9}")
        candidates = [Plain(*each) for each in programs(folder, options.quick) if each[1] in options.only]
        for program in [*(ORDER if "clock" in options.only else ()), *candidates]:
            try:
                program = captured(program, culprit, options.quick) if isinstance(program, str) else program
                each = measure(culprit, program, folder, 3 if options.quick or program.kind == "clock" else 5)
            except Failure as failure:
                print(f"{getattr(program, 'name', program):10} not measured: {failure}")
                failed = True
                continue
            results.append(each)
            strace = f"{each['strace']:7.2f}x" if "strace" in each else f"{'-':>8}"
            print(f"{each['name']:10} {each['kind']:7} {each['seconds']['native']:7.3f}s {each['record']:7.2f}x {each['replay']:7.2f}x "
                  f"{strace} {each['events']:9} {each['log_bytes_per_second'] / 1000:9.0f}", flush=True)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=1) + "\n")
    of = {kind: [each for each in results if each["kind"] == kind] for kind in KINDS}
    for kind in KINDS:
        print(f"{kind}: record {geomean(each['record'] for each in of[kind]):.3f}, replay {geomean(each['replay'] for each in of[kind]):.3f}")
    print(f"record: geomean={geomean(each['record'] for each in of['clock']):.3f} worst={max((each['record'] for each in of['clock']), default=math.nan):.3f} "
          f"replay_geomean={geomean(each['replay'] for each in of['clock']):.3f} "
          f"syscall_bound={geomean(each['record'] for each in of['call']):.2f}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
