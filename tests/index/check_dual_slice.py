#!/usr/bin/env python3
"""`culprit diff --slice`: dual slices hold what makes two runs differ and nothing else (EPID figure 11).
Usage: check_dual_slice.py --build DIR"""

import argparse
import json
import pathlib
import subprocess
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent / "programs" / "either_flag.c"


def line_of(text):
    return next(number for number, line in enumerate(SOURCE.read_text().splitlines(), 1) if text in line)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    binaries = parser.parse_args().build.resolve() / "bin"
    with tempfile.TemporaryDirectory() as directory:
        program = pathlib.Path(directory) / "either_flag"
        subprocess.run([binaries / "culprit-cc", "-g", "-O1", SOURCE, "-o", program], check=True)
        for name, words in (("good", "1 0 5 1"), ("bad", "0 1 3 1"), ("same", "0 1 5 1")):
            recorded = subprocess.run([binaries / "culprit", "record", "-o", f"{directory}/{name}", program, *words.split()],
                                      capture_output=True, text=True, timeout=300, check=False)
            assert recorded.returncode == 0, recorded

        def diff(good, bad, *options):
            return subprocess.run([binaries / "culprit", "diff", "--slice", *options, f"{directory}/{good}", f"{directory}/{bad}"],
                                  capture_output=True, text=True, timeout=300, check=False)

        def lines(whole):
            return [int(one["position"].split(":")[1]) for one in whole["instances"]]

        # The flags differ, and so does the decision that led to the print, but neither made the output differ.
        done = diff("good", "bad", "--json")
        assert done.returncode == 0, done.stderr
        whole = json.loads(done.stdout)
        x, shown = line_of("int x ="), line_of("shown = 7")
        print_line = line_of("printf(")
        assert set(lines(whole)) == {line_of("word[0]"), x, print_line}, whole
        assert all(one["good"] and one["bad"] for one in whole["instances"]), whole
        stored = [one for one in whole["instances"] if "good_value" in one]
        assert {(one["good_value"], one["bad_value"]) for one in stored if f":{x}:" in one["position"]} == {(5, 3)}, whole
        assert len(whole["instances"]) < whole["good_slice"], whole

        # What one run alone executes brings what decided about it.
        whole = json.loads(diff("good", "bad", "--json", "--at", f"{SOURCE.name}:{line_of('return shown')}").stdout)
        alone = [one for one in whole["instances"] if one["good"] and not one["bad"]]
        assert [int(one["position"].split(":")[1]) for one in alone] == [shown], whole
        assert {shown - 1, x} <= set(lines(whole)), whole
        assert line_of("int a =") not in lines(whole), whole

        # Flags alone change no output: nothing of the print differs.
        same = diff("good", "same", "--json", "--at", f"{SOURCE.name}:{print_line}:14")
        assert line_of("int x =") not in lines(json.loads(same.stdout)), same.stdout

        text = diff("good", "bad").stdout.splitlines()
        assert text[0].startswith("dual slice: ") and any(line.endswith("5 | 3") for line in text), text
        for options, message in ((("--at", "either_flag.c:999"), "either_flag.c"), (("--at", "stdout:50"), "50 is not among them")):
            wrong = diff("good", "bad", *options)
            assert wrong.returncode == 2 and message in wrong.stderr, wrong
        commands = subprocess.run([binaries / "culprit", "diff", "--slice", f"{program} 1 0 5 1", f"{program} 0 1 3 1"],
                                  capture_output=True, text=True, timeout=300, check=False)
        assert commands.returncode == 2 and "culprit record" in commands.stderr, commands


if __name__ == "__main__":
    main()
