#!/usr/bin/env python3
"""Sessions of replays: replayed.py CULPRIT DRIVE_SESSION SOURCE. Points stop where they should and show what is there; forks
with a switched branch end as the program would have, equal ones equally, and leave the recorded run as it was."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PLAN = 'observed = "homes"\nhooks = "session"\nstart_observed = true\n'


def main():
    culprit, drive, source = sys.argv[1:4]
    with tempfile.TemporaryDirectory(prefix="culprit-session-") as name:
        folder = pathlib.Path(name)
        os.environ["CULPRIT_CACHE"] = str(folder / "cache")

        def run(*words, status=0):
            done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  timeout=300)
            if done.returncode != status:
                sys.exit(f"{words}: status {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
            return done.stdout

        compiler = pathlib.Path(culprit).parent / "culprit-cc"
        program, recording = folder / "program", folder / "recording"
        run(compiler, "-O2", "-g", source, "-o", program)
        run(culprit, "record", "-o", recording, "--", program, "fails")

        def stop(point):
            return json.loads(run(culprit, "replay", recording, "--to", point, "--json"))

        def expect(what, is_so):
            if not is_so:
                sys.exit(f"not so: {what}")

        line = next(n for n, text in enumerate(open(source), 1) if "total += each->value" in text)
        fourth = stop(f"{pathlib.Path(source).name}:{line}#4")["activations"]
        expect(f"81+64+49 before the fourth addition: {fourth}", fourth[0]["variables"]["total"] == "194")
        expect("main calls sum", [each["place"].split()[0] for each in fourth] == ["sum", "main"])
        expect("sum() has its parameter", stop("sum()")["activations"][0]["variables"]["list"] != "0x0")
        crash = stop("crash")
        expect(f"null pointer: {crash}", crash["activations"][0]["variables"]["pointer"] == "0x0")
        for number in (2, 7):
            expect("ticks are exact", stop(f"tick:0:{number}")["ticks"] == number)
        run(culprit, "replay", recording, "--to", "exit", status=1)
        run(culprit, "replay", recording, "--to", f"sum()#2", status=1)

        (folder / "session.toml").write_text(PLAN)
        built = json.loads(run(culprit, "build", program, "--plan", folder / "session.toml", "--json"))
        described = run(culprit, "dump", "model", built["model"], "--function", "main")
        block, statement = None, None
        for text in described.splitlines():
            if at := re.match(r"  block \d+ \(id (\d+)\), true: ", text):
                block = at.group(1)
            elif block and "sum" in text and (at := re.match(r"\s+(\d+) .*call\s+sum", text)):
                statement = at.group(1)
                break
        # The branch behind the call decides whether the program fails.
        forks = run(drive, recording, built["executable"], statement, 1, block, 1, 20, 3)
        expect(f"switched, it ends well: {forks}", "status=3 signal=0 switched=true hung=false output=sum 285\nend\n" in forks)
        expect(f"the recorded run still fails: {forks}", "unaltered: status=0 signal=11" in forks)
    print("points, forks and a switched branch")


if __name__ == "__main__":
    main()
