#!/usr/bin/env python3
"""`culprit diff` of a run that crashes and one that does not: where they part, and which values differ there.
Usage: check_diff.py --build DIR"""

import argparse
import json
import pathlib
import subprocess
import tempfile

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"


def check_threads(build, directory):
    """Threads correspond that were created at the same point, though their numbers differ."""
    source, program = PROGRAMS / "workers.c", f"{directory}/workers"
    lines = source.read_text().splitlines()
    adds = next(number for number, text in enumerate(lines, 1) if "+= odd" in text)
    creates = next(number for number, text in enumerate(lines, 1) if "&workers[i], 0, work" in text)
    subprocess.run([build / "bin/culprit-cc", "-g", "-O1", "-pthread", source, "-o", program], check=True)
    for name, words in (("plain", "0 7"), ("first", "1 7"), ("odd", "0 9")):
        subprocess.run([build / "bin/culprit", "record", "-o", f"{directory}/{name}.rec", program, *words.split()],
                       capture_output=True, timeout=300, check=True)

    def diff(good, bad, *options):
        return subprocess.run([build / "bin/culprit", "diff", *options, f"{directory}/{good}.rec", f"{directory}/{bad}.rec"],
                              capture_output=True, text=True, timeout=300, check=False)

    whole = json.loads(diff("plain", "first", "--json").stdout)
    assert [(each["good_thread"], each["bad_thread"]) for each in whole["threads"]] == [(1, 2), (2, 3), (3, 4)], whole
    assert all(each["created_at"].startswith(f"workers.c:{creates}:") for each in whole["threads"]), whole
    assert all(each["good_only"] == 0 and each["bad_only"] == 0 and each["aligned"] > 20 for each in whole["threads"]), whole
    assert [each["run"] for each in whole["threads_of_one_run"]] == ["bad"], whole

    whole = json.loads(diff("plain", "odd", "--json").stdout)
    assert "threads_of_one_run" not in whole and len(whole["threads"]) == 3, whole
    # Worker 1 stores other sums from its sixth iteration on; the others do what they did.
    first = [[each["position"] for each in thread["values"]][:1] for thread in whole["threads"]]
    assert first[0] == [] and first[2] == [] and first[1][0].startswith(f"workers.c:{adds}:"), whole
    text = diff("plain", "odd").stdout
    assert f"thread 2 (2 in the bad run), created at workers.c:{creates}:" in text, text


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    build = parser.parse_args().build.resolve()
    source = PROGRAMS / "crash.c"
    test = next(number for number, text in enumerate(source.read_text().splitlines(), 1) if "i == at_row" in text)
    with tempfile.TemporaryDirectory() as directory:
        program = pathlib.Path(directory) / "crash"
        subprocess.run([build / "bin/culprit-cc", "-g", "-O1", source, "-o", program], check=True)

        def diff(good, bad, *options):
            return subprocess.run([build / "bin/culprit", "diff", *options, f"{program} {good}", f"{program} {bad}"],
                                  capture_output=True, text=True, timeout=300, check=False)

        # Where the reports end early, the runs do not.
        cut = diff("3 9", "3 5", "--limit", "40")
        assert "--limit compares more" in cut.stderr and "for good" not in cut.stdout, cut
        assert "--limit" not in diff("3 9", "3 5").stderr

        page = pathlib.Path(directory) / "page.html"
        done = diff("3 9", "3 5", "--html", page)
        assert done.returncode == 0, done.stderr
        lines = done.stdout.splitlines()
        assert lines[0] == "good: exit status 0, bad: signal 11", lines
        parting = next(place for place, line in enumerate(lines) if line.startswith(f"they part for good after crash.c:{test}:"))
        assert lines[parting + 1].split()[0] == "good" and "points more" in lines[parting + 1], lines
        assert lines[parting + 2].split()[:3] == ["bad", "1", "points"], lines
        assert any(f"crash.c:{test}:" in line and "branch" in line for line in lines[parting + 3:]), lines

        text = page.read_text()
        assert "signal 11" in text and f"they part for good after crash.c:{test}:" in text, text
        rows = [row for row in text.splitlines() if f"<td>crash.c:{test}:" in row]
        assert any('class="good"' in row and 'class="bad"' in row for row in rows), rows

        whole = json.loads(diff("3 9", "3 5", "--json").stdout)
        assert whole["parts_for_good_after"].startswith(f"crash.c:{test}:"), whole
        assert whole["bad"]["signal"] == 11 and whole["regions"][-1]["run"] in ("good", "bad"), whole

        same = diff("9 9", "9 9")
        assert same.returncode == 1 and "part" not in same.stdout, same.stdout

        check_threads(build, directory)

        for name, words in (("good", "3 9"), ("bad", "3 5")):
            subprocess.run([build / "bin/culprit", "record", "-o", f"{directory}/{name}.rec", program, *words.split()],
                           capture_output=True, timeout=300, check=False)
        recorded = subprocess.run([build / "bin/culprit", "diff", "--json", f"{directory}/good.rec", f"{directory}/bad.rec"],
                                  capture_output=True, text=True, timeout=300, check=False)
        assert recorded.returncode == 0, recorded.stderr
        whole = json.loads(recorded.stdout)
        assert whole["bad"]["signal"] == 11 and whole["output_differs_at"] == 0, whole
        # A trace holds decisions, so it does not tell where within the blocks up to the next one a run was ended.
        fatal = next(region for region in whole["regions"] if region["run"] == "bad")
        assert fatal["after"].startswith(f"crash.c:{test}:") and fatal["from"].startswith(f"crash.c:{test + 1}:"), whole
        assert whole["bad_only"] == 1 and whole["good_only"] > 10, whole
        # atoi(argv[2]) in row 0 to 3; the parameter of row, before the loop also in cell.
        values = {(each["function"], each["writes"]): each for each in whole["values"]}
        assert set(values) == {("atoi", "strtol()"), ("row", "a parameter"), ("cell", "a parameter")}, values
        for each in values.values():
            assert (each["good"], each["bad"]) == (9, 5), values
        # Four rows: of the second argument alone; of three numbers a row, and of five numbers a cell (to the one that fails).
        assert (values["atoi", "strtol()"]["instances"], values["atoi", "strtol()"]["of"]) == (4, 8), values
        assert (values["row", "a parameter"]["instances"], values["row", "a parameter"]["of"]) == (4, 12), values
        assert values["cell", "a parameter"]["instances"] * 4 == values["cell", "a parameter"]["of"], values


if __name__ == "__main__":
    main()
