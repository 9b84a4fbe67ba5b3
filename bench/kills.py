#!/usr/bin/env python3
"""Recordings that were cut short: bench/run kills [--tries N] [--seed N] [--longest SECONDS] [--json FILE] [--culprit PATH]

kill -9 of the launcher, of the program or of both at random moments, and file systems of random sizes that fill up. Whatever is
left must open, and replay either to where it ends or to the program's end, or say in one line why not; nothing may claim more.
When only the launcher is killed the program goes on, and its recording must be whole; when the disk is full it must run to
its end.
"""
import argparse
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE.parent / "tests/record/programs"
FULL = """
mount -t tmpfs -o size={kilobytes}k none {folder} || exit 77
{culprit} record -o {folder}/rec -- head -c {bytes} /dev/urandom | wc -c
test -e {folder}/rec/manifest.json && {culprit} replay --verify --json {folder}/rec 2>&1 >/dev/null
exit 0
"""


class Unusable(Exception):
    pass


def children_of(pid):
    try:
        return [int(word) for word in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except FileNotFoundError:
        return []


def wait_for_end(pid):
    while True:
        try:
            state = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return
        if state == "Z":
            return
        time.sleep(0.01)


def judge(replayed, began):
    """How the replay of what was left ended."""
    last = replayed.stderr.strip().split(b"\n")[-1]
    if not last.startswith(b"{"):
        lines = [line for line in replayed.stderr.split(b"\n") if line and not line.startswith(b"culprit: remedy")]
        if replayed.returncode == 2 and len(lines) == 1 and not began:
            return {"state": lines[0].decode()}
        raise Unusable(replayed.stderr.decode(errors="replace"))
    said = json.loads(last)
    if replayed.returncode != 0 or said["state"] not in ("finished", "log-ended"):
        raise Unusable(said)
    return said


def kill(options, command, directory, whom, delay):
    recorder = subprocess.Popen([options.culprit, "record", "--json", "-o", directory, "--", *command],
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    started = time.monotonic()
    program = []
    while not program and recorder.poll() is None and time.monotonic() < started + 20:
        program = children_of(recorder.pid)
    time.sleep(delay)
    for pid in {"launcher": [recorder.pid], "program": program, "both": [recorder.pid, *program]}[whom]:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    recorder.wait()
    for pid in program:
        wait_for_end(pid)
    if not (directory / "manifest.json").exists():
        return "nothing was recorded yet"
    said = judge(subprocess.run([options.culprit, "replay", "--verify", "--json", directory], stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=120), bool(program))
    if whom == "launcher" and program and said["state"] != "finished":
        raise Unusable(f"the program's end is not recorded: {said}")
    return said["state"]


def fill(options, folder, kilobytes, size):
    script = FULL.format(folder=folder, culprit=options.culprit, kilobytes=kilobytes, bytes=size)
    ran = subprocess.run(["unshare", "--map-root-user", "--mount", "sh", "-c", script], stdin=subprocess.DEVNULL,
                         capture_output=True, timeout=300)
    if ran.returncode == 77 or ran.stderr.startswith(b"unshare"):
        return None
    written, *replayed = ran.stdout.strip().split(b"\n")
    begun = replayed and replayed[-1].startswith(b"{")
    if begun and int(written) != size:
        raise Unusable(f"the program wrote {written} of {size} bytes: {ran.stderr.decode(errors='replace')}")
    if not begun:
        if b"cannot make" not in ran.stderr and b"recording stopped" not in ran.stderr:
            raise Unusable(f"nobody says why nothing was recorded: {ran.stderr.decode(errors='replace')}")
        return "full before it began"
    said = json.loads(replayed[-1])
    if said["state"] not in ("finished", "log-ended") or said["memory_differs"]:
        raise Unusable(said)
    return f"full, {said['state']}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tries", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--longest", type=float, default=0.6, help="seconds until the kill")
    parser.add_argument("--json")
    parser.add_argument("--culprit", type=pathlib.Path, default=HERE.parent / "build/release/bin/culprit")
    options = parser.parse_args()
    options.culprit = options.culprit.resolve()
    chance = random.Random(options.seed)
    ends, unusable = {}, 0
    with tempfile.TemporaryDirectory(prefix="culprit-kills-") as name:
        work = pathlib.Path(name)
        os.environ["CULPRIT_CACHE"] = str(work / "cache")
        subprocess.run([options.culprit.parent / "culprit-cc", "-O2", "-g", "-pthread", PROGRAMS / "ticks.c", "-o", work / "ticks"],
                       check=True)
        subprocess.run([options.culprit, "build", work / "ticks"], check=True, capture_output=True)
        subprocess.run(["cc", "-O2", "-pthread", PROGRAMS / "threads.c", "-o", work / "threads"], check=True)
        commands = (["dd", "if=/dev/zero", "of=/dev/null", "bs=4", "count=50000"], [work / "ticks"], [work / "threads"],
                    ["bash", "-c", "for i in 1 2 3 4 5 6; do seq 2000 | sort -r | head -1; done"])
        for number in range(options.tries):
            whom = ("launcher", "program", "both", "full")[number % 4]
            command = commands[number // 4 % len(commands)]
            delay = chance.uniform(0, options.longest) * chance.uniform(0, 1)
            with tempfile.TemporaryDirectory(prefix="culprit-kill-") as folder:
                folder = pathlib.Path(folder)
                what = f"{whom}, {pathlib.Path(command[0]).name}, after {delay:.3f} s"
                try:
                    if whom == "full":
                        kilobytes, size = chance.randrange(15000, 30000), chance.randrange(1, 16_000_000)
                        what = f"disk of {kilobytes} KB, {size} bytes written"
                        end = fill(options, folder, kilobytes, size)
                    else:
                        end = kill(options, command, folder / "rec", whom, delay)
                except Unusable as why:
                    unusable, end = unusable + 1, "unusable"
                    print(f"{what}: {why}", flush=True)
            ends[end] = ends.get(end, 0) + 1
    for end, count in sorted(ends.items(), key=lambda each: -each[1]):
        print(f"{count:5} {end or 'no file system of its own can be made here'}")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps({"tries": options.tries, "unusable": unusable}) + "\n")
    print(f"kills: tries={options.tries} unusable={unusable}")
    return 1 if unusable else 0


if __name__ == "__main__":
    sys.exit(main())
