#!/usr/bin/env python3
"""A file system that is too small: the program runs to its end, and what was recorded replays: full.py CULPRIT (needs root
or user namespaces for a small tmpfs; skipped with status 77 without)"""
import json
import pathlib
import subprocess
import sys
import tempfile

INSIDE = """
mount -t tmpfs -o size=22m none {folder} || exit 77
{culprit} record -o {folder}/rec -- head -c 30000000 /dev/urandom | wc -c
{culprit} replay --json {folder}/rec 2>&1 >/dev/null
"""


# Room for the ring and not for the executable's copy.
BARELY = """
mount -t tmpfs -o size=16480k none {folder} || exit 77
{culprit} record -o {folder}/rec -- head -c 1000000 /dev/urandom | wc -c
"""


def main():
    culprit = sys.argv[1]
    with tempfile.TemporaryDirectory(prefix="culprit-full-") as folder:
        script = BARELY.format(folder=folder, culprit=culprit)
        ran = subprocess.run(["unshare", "--map-root-user", "--mount", "sh", "-c", script], capture_output=True, timeout=300)
        if ran.returncode == 77 or b"unshare" in ran.stderr:
            sys.exit(77)
        if int(ran.stdout) != 1000000:
            sys.exit(f"without room for copies the program wrote {ran.stdout}: {ran.stderr.decode()}")
    with tempfile.TemporaryDirectory(prefix="culprit-full-") as folder:
        script = INSIDE.format(folder=folder, culprit=culprit)
        ran = subprocess.run(["unshare", "--map-root-user", "--mount", "sh", "-c", script], capture_output=True, timeout=300)
        if ran.returncode == 77 or b"unshare" in ran.stderr:
            sys.exit(77)
        written, replayed = ran.stdout.split(b"\n")[:2]
        if int(written) != 30000000:
            sys.exit(f"the program wrote {written} bytes: {ran.stderr.decode()}")
        if b"recording stopped before the program did" not in ran.stderr:
            sys.exit(f"the user is not told: {ran.stderr.decode()}")
        said = json.loads(replayed)
        if said["state"] != "log-ended" or said["events"] < 100:
            sys.exit(f"what was recorded does not replay: {said}")
    print(f"program unharmed, {said['events']} events replayed")


main()
