#!/usr/bin/env python3
"""A recording of the fast plan is replayed by all others: plans.py CULPRIT SOURCE…

Each source is a program. The replays must verify (but that of the plan trace), and show the output of the recorded run. What the program can point to
must have the same address in the executables of all plans. A source's line "// EVENT: words" tells what the recording must hold.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PLANS = ("registers", "homes", "session", "values", "trace")
# Zones that begin with these sections hold what only a plan's own bodies use (src/build/link_layout.cc).
PRIVATE = re.compile(r"\.observed|culprit_initial_observe|_DYNAMIC|_GLOBAL_OFFSET_TABLE_|_PROCEDURE_LINKAGE|^\.L|GCC_except|__FRAME_END__")


def addresses(executable):
    listed = subprocess.run(["nm", executable], check=True, capture_output=True, text=True).stdout
    found = {}
    for line in listed.splitlines():
        words = line.split()
        if len(words) == 3 and not PRIVATE.search(words[2]):
            found.setdefault(words[2], set()).add(words[0])
    return found


def check(options, source, folder):
    compiler = pathlib.Path(options.culprit).parent / ("culprit-c++" if source.endswith(".cc") else "culprit-cc")
    program = folder / "program"
    text = pathlib.Path(source).read_text()
    flags = re.search(r"^// FLAGS: (.*)$", text, re.MULTILINE)
    event = re.search(r"^// EVENT: (.*)$", text, re.MULTILINE)
    subprocess.run([compiler, "-O2", "-g", "-pthread", *(flags[1].split() if flags else []), source, "-o", program, "-lm"], check=True)

    def run(*words):
        return subprocess.run([options.culprit, *words], stdin=subprocess.DEVNULL, capture_output=True, timeout=300)

    built = {}
    for plan in ("fast", *PLANS):
        plans = {"fast": "", "registers": 'observed = "registers"\nhooks = "counts"\n',
                 "homes": 'observed = "homes"\nhooks = "counts"\n', "session": 'observed = "homes"\nhooks = "session"\n',
                 "values": 'observed = "registers"\nhooks = "values"\nquick_code = true\n',
                 "trace": 'observed = "registers"\nhooks = "trace"\n'}
        file = folder / f"{plan}.toml"
        file.write_text(plans[plan] + ("" if plan == "fast" else "start_observed = true\n"))
        built[plan] = folder / f"program.{plan}"
        done = run("build", str(program), "--plan", "fast" if plan == "fast" else str(file), "-o", str(built[plan]))
        if done.returncode != 0:
            sys.exit(f"{source}: plan {plan}: {done.stderr.decode(errors='replace')}")
    fast = addresses(built["fast"])
    if len(fast) < 20:
        sys.exit(f"{source}: only {len(fast)} symbols")
    for plan in PLANS:
        other = addresses(built[plan])
        moved = [name for name, places in fast.items() if other.get(name) != places]
        if moved:
            sys.exit(f"{source}: under {plan} these are elsewhere: {moved[:10]}")

    recording = folder / "recording"
    recorded = run("record", "-o", str(recording), "--", str(program))
    if recorded.returncode != 0:
        sys.exit(f"{source}: record: {recorded.stderr.decode(errors='replace')}")
    if event and event[1].encode() not in run("dump", "recording", str(recording)).stdout:
        sys.exit(f"{source}: no event of the recording says: {event[1]}")
    for plan in PLANS:
        # The runtime's own variables differ when it could trace.
        replayed = run("replay", str(recording), "--plan", plan, *([] if plan in ("trace", "values") else ["--verify"]))
        if replayed.returncode != 0 or replayed.stdout != recorded.stdout:
            sys.exit(f"{source}: replay by {plan}: {replayed.stderr.decode(errors='replace')[-2000:]}\n"
                     f"recorded:\n{recorded.stdout[-1000:]}\nreplayed:\n{replayed.stdout[-1000:]}")
    print(f"{source}: recorded fast, replayed by {', '.join(PLANS)}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("culprit")
    parser.add_argument("sources", nargs="+")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="culprit-plans-") as cache:
        os.environ["CULPRIT_CACHE"] = cache + "/cache"
        for source in options.sources:
            with tempfile.TemporaryDirectory(prefix="culprit-plans-") as folder:
                check(options, source, pathlib.Path(folder))


if __name__ == "__main__":
    main()
