#!/usr/bin/env python3
"""Recording and replay against native runs: bench/run record [--quick] [--json FILE] [--culprit PATH]

Unmodified programs of the system. Each is run natively, recorded and replayed, alternating, several times; the best of
each counts (other work on the machine only ever adds). Threaded programs are compared with the same program pinned to
one core, because one thread runs at a time while recording. Where strace is installed it is measured, too.
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

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent


def seconds(command, **options):
    start = time.perf_counter()
    subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True,
                   **options)
    return time.perf_counter() - start


def programs(folder, quick):
    """(name, kind, command); kinds: cpu, call, thread."""
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
        ("pigz", "thread", ["pigz", "-9kc", "-p2", str(data)]),
        ("xz -T2", "thread", ["xz", "-1", "-T2", "--block-size=1000000", "-kc", str(data)]),
    ]
    return [each for each in candidates if shutil.which(each[2][0])]


def measure(culprit, name, kind, command, folder, times):
    recording = folder / "recording"
    environment = dict(os.environ, CULPRIT_RECORDINGS=str(folder))
    native_command = ["taskset", "-c", "0", *command] if kind == "thread" else command
    best = {"native": math.inf, "record": math.inf, "replay": math.inf}
    for _ in range(times):
        shutil.rmtree(recording, ignore_errors=True)
        best["native"] = min(best["native"], seconds(native_command))
        best["record"] = min(best["record"], seconds([culprit, "record", "-o", recording, "--", *command], env=environment))
        best["replay"] = min(best["replay"], seconds([culprit, "replay", recording], env=environment))
    manifest = json.loads((recording / "manifest.json").read_text())
    result = {"name": name, "kind": kind, "seconds": best, "events": manifest["events"],
              "record": best["record"] / best["native"], "replay": best["replay"] / best["native"],
              "log_bytes_per_second": (recording / "log").stat().st_size / best["record"]}
    if kind == "call" and shutil.which("strace"):
        result["strace"] = seconds(["strace", "-f", "-o", "/dev/null", *command]) / best["native"]
    return result


def geomean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small inputs, fewer runs")
    parser.add_argument("--json", metavar="FILE", help="also write the figures there")
    parser.add_argument("--culprit", default=str(REPOSITORY / "build/release/bin/culprit"))
    options = parser.parse_args()
    if not os.access(options.culprit, os.X_OK):
        sys.exit(f"bench/record: {options.culprit} is missing; build first, or name it with --culprit")
    results = []
    with tempfile.TemporaryDirectory(prefix="culprit-bench-") as folder:
        folder = pathlib.Path(folder)
        print(f"{'program':10} {'kind':7} {'native':>8} {'record':>8} {'replay':>8} {'strace':>8} {'events':>9} {'log kB/s':>9}")
        for name, kind, command in programs(folder, options.quick):
            each = measure(options.culprit, name, kind, command, folder, 3 if options.quick else 5)
            results.append(each)
            strace = f"{each['strace']:7.2f}x" if "strace" in each else f"{'-':>8}"
            print(f"{name:10} {kind:7} {each['seconds']['native']:7.3f}s {each['record']:7.2f}x {each['replay']:7.2f}x "
                  f"{strace} {each['events']:9} {each['log_bytes_per_second'] / 1000:9.0f}", flush=True)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=1) + "\n")
    cpu = [each for each in results if each["kind"] == "cpu"]
    call = [each for each in results if each["kind"] == "call"]
    print(f"record: geomean={geomean(each['record'] for each in cpu):.3f} worst={max(each['record'] for each in cpu):.3f} "
          f"replay_geomean={geomean(each['replay'] for each in cpu):.3f} "
          f"syscall_bound={geomean(each['record'] for each in call):.2f}")


main()
