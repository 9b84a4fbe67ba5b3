#!/usr/bin/env python3
"""Ids of kind STAT from core files (EPID §II-D): the iterations that a crashed native program was in.
Usage: check_core.py --build DIR. Status 77 where this machine gives no core file."""

import argparse
import json
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
SKIP = 77


class NoCore(Exception):
    pass


def core_of(words, directory):
    """The kernel's, or where it writes none here (a pipe as core_pattern), the debugger's."""
    def allow_core():
        resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    subprocess.run(words, cwd=directory, preexec_fn=allow_core, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   check=False)
    for file in directory.glob("core*"):
        return file
    if shutil.which("gdb"):
        subprocess.run(["gdb", "-batch", "-nx", "-ex", "run", "-ex", "gcore core", "--args", *words], cwd=directory,
                       capture_output=True, check=False, timeout=120)
    if not (directory / "core").exists():
        raise NoCore("neither the kernel nor gdb wrote a core file")
    return directory / "core"


def iterations(build, words, directory):
    """(function, variable, value) of the crashed thread, outermost first, its innermost frame, and (loops, known iterations)."""
    core = core_of(words, directory)
    done = subprocess.run([build / "bin/culprit", "points", "--json", "--core", core, words[0]], capture_output=True,
                          text=True, timeout=300, check=False)
    core.unlink()
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    thread = json.loads(done.stdout)["threads"][0]
    frames = thread["frames"]
    found = [(frame["function"], loop.get("variable"), loop.get("value")) for frame in frames for loop in frame.get("loops", [])]
    return found, frames[-1], (thread["loops"], thread["known_iterations"])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    build = parser.parse_args().build.resolve()
    source = PROGRAMS / "crash.c"
    fault = next(number for number, text in enumerate(source.read_text().splitlines(), 1) if "POINT fault" in text)
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        for level in ("-O0", "-O1", "-O2"):
            program = directory / f"crash{level}"
            subprocess.run([build / "bin/culprit-cc", "-g", level, source, "-o", program], check=True)
            for i, j in ((3, 5), (0, 7)):
                found, innermost, known = iterations(build, [str(program), str(i), str(j)], directory)
                expected = [("main", "i", i), ("row", "j", j)]
                assert found == expected, f"{level}: {found} instead of {expected}"
                assert known == (2, 2), f"{level}: {known}"
                assert (innermost["function"], innermost["line"]) == ("cell", fault), f"{level}: stopped in {innermost}"
        program = directory / "crash_list"
        subprocess.run([build / "bin/culprit-cc", "-g", "-O1", PROGRAMS / "crash_list.c", "-o", program], check=True)
        found, _, known = iterations(build, [str(program), "1"], directory)
        assert found == [("main", None, None), ("digit", "j", 2)] and known == (2, 1), f"in a list: {found}, {known}"
        for level in ("-O0", "-O2"):
            program = directory / f"crash_global{level}"
            subprocess.run([build / "bin/culprit-cc", "-g", level, PROGRAMS / "crash_global.c", "-o", program], check=True)
            found, _, known = iterations(build, [str(program), "3", "4"], directory)
            assert found == [("passes", "pass", 3), ("lines", "line", 4)] and known == (2, 2), f"{level}: {found}, {known}"
        listed = subprocess.run([build / "bin/culprit", "dump", "loops", "--json", program], capture_output=True, text=True, check=True)
        variables = {loop["function"]: loop.get("variable") for loop in json.loads(listed.stdout)["loops"]}
        assert variables == {"main": "i", "passes": "pass", "lines": "line", "uncounted": None, "again": None}, variables
        other = subprocess.run([build / "bin/culprit", "points", "--core", source, program], capture_output=True, text=True)
        assert other.returncode == 2 and "core file" in other.stderr, f"no core file: {other}"


if __name__ == "__main__":
    try:
        main()
    except NoCore as reason:
        print(f"SKIPPED: {reason}")
        sys.exit(SKIP)
