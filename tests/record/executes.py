#!/usr/bin/env python3
"""Captured programs that children execute have recordings of their own.  Usage: executes.py BIN_DIRECTORY EXECUTES_C WORKER_C"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile


def check(holds, what, *found):
    if not holds:
        sys.exit(f"executes: {what}: " + " ".join(str(each) for each in found))


def main():
    binaries = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="culprit-executes-") as name:
        folder = pathlib.Path(name)
        environment = dict(os.environ)
        environment.setdefault("CULPRIT_CACHE", str(folder / "cache"))
        for source in sys.argv[2:]:
            subprocess.run([binaries / "culprit-cc", "-O1", "-g", source, "-o", folder / pathlib.Path(source).stem], check=True)

        def culprit(*words):
            return subprocess.run([binaries / "culprit", *words], env=environment, capture_output=True, text=True, cwd=folder)

        def replays(place, output):
            replayed = culprit("replay", place, "--verify")
            check(replayed.returncode == 0 and "differs" not in replayed.stderr, "is not replayed", place, replayed.stderr)
            check(output is None or replayed.stdout == output, "shows something else", place, replayed.stdout)

        natively = subprocess.run(["./executes", "./worker"], cwd=folder, capture_output=True, text=True).stdout
        recorded = culprit("record", "-o", "rec", "--", "./executes", "./worker")
        check(recorded.stdout == natively, "the recorded run writes something else", recorded.stdout, recorded.stderr)
        replays("rec", natively)

        told = {each["recording"]: each for each in json.loads(culprit("info", "rec", "--json").stdout)["children"]}
        executed = sorted((folder / "rec/executed").iterdir(), key=lambda each: int(each.name))
        arguments = {}
        for each in executed:
            manifest = json.loads((each / "manifest.json").read_text())
            check(manifest["program"] == str((folder / "worker").resolve()), "another program", manifest["program"])
            arguments[(manifest["arguments"] + [""])[1]] = each
        check(sorted(arguments) == ["crash", "fork", "popen", "spawn", "system"], "other programs are recorded", arguments)
        for how in ("system", "spawn", "popen"):
            replays(arguments[how], f"worker {how}: 6\n")
        replays(arguments["fork"], "worker: the child ended with 4\nworker fork: 6\n")
        (inner,) = (arguments["fork"] / "children").iterdir()
        replays(inner, "child: 5\n")
        crashed = str(arguments["crash"])
        replays(crashed, "")
        check(told[crashed]["finished"] and told[crashed]["exit_signal"] == signal.SIGSEGV, "the crash is not told", told)
        values = culprit("value", crashed, "--at", "crash", "--json", "total", "each", "at")
        check(json.loads(values.stdout) == {"total": "6", "each": "3", "at": "0x0"}, "values differ", values)
        check(not list((folder / "rec").rglob("ring")) and not (folder / "rec/requests").exists(), "something is left behind")

        # Started by a program that is not captured.
        recorded = culprit("record", "-o", "shell", "--", "sh", "-c", "./worker a; ./worker b | cat")
        check(recorded.stdout == "worker a: 6\nworker b: 6\n", "the shell's run writes something else", recorded)
        replays("shell", recorded.stdout)
        outputs = []
        for each in sorted((folder / "shell/executed").iterdir()):
            replays(each, None)
            outputs.append(culprit("replay", each).stdout)
        check(sorted(outputs) == ["worker a: 6\n", "worker b: 6\n"], "the shell's children show something else", outputs)


if __name__ == "__main__":
    main()
