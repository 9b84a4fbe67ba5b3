#!/usr/bin/env python3
"""`culprit diff` of two versions of a program: it parts behind what was changed, and everything else corresponds.
Usage: check_versions.py --build DIR"""

import argparse
import json
import pathlib
import shutil
import subprocess
import tempfile

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs" / "versions"


def line_of(version, text):
    lines = (PROGRAMS / version / "versions.c").read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


class Versions:
    """The program's versions, compiled each in a folder of its own, and recordings of them."""

    def __init__(self, build, folder):
        self.culprit = build / "bin/culprit"
        self.folder = folder
        for name, version in (("old", "old"), ("new", "new"), ("copy", "old")):
            (folder / name).mkdir()
            shutil.copy(PROGRAMS / version / "versions.c", folder / name)
            subprocess.run([build / "bin/culprit-cc", "-g", "-O1", "-pthread", "versions.c", "-o", "versions"],
                           cwd=folder / name, check=True)

    def record(self, name, version, *words):
        subprocess.run([self.culprit, "record", "-o", f"{name}.rec", f"{version}/versions", *words], cwd=self.folder,
                       capture_output=True, timeout=300, check=True)

    def run(self, *words):
        return subprocess.run([self.culprit, "diff", *words], cwd=self.folder, capture_output=True, text=True,
                              timeout=300, check=False)

    def json(self, *words, status=0):
        done = self.run("--json", *words)
        assert done.returncode == status, done
        return json.loads(done.stdout)


def check_recordings(versions):
    condition, inserted = line_of("old", "// CONDITION"), line_of("new", "// INSERTED")
    new_condition = line_of("new", "// CONDITION")
    versions.record("old", "old", "4")
    versions.record("new", "new", "4")
    whole = versions.json("old.rec", "new.rec")
    changed = {each["function"]: each for each in whole["versions"]["functions"]}
    assert set(changed) == {"main", "sum", "complain"}, changed
    assert changed["sum"]["good_lines"] == [condition] and changed["sum"]["bad_lines"] == [new_condition], changed
    assert changed["main"]["good_lines"] == [] and changed["main"]["bad_lines"] == list(range(inserted, inserted + 4)), changed
    assert "good_lines" not in changed["complain"], changed
    assert whole["versions"]["unknown_texts"] == [], whole
    # The old version does nothing that the new one does not: the inserted test, and one value more is added up.
    assert whole["good_only"] == 0 and whole["aligned"] > 100, whole
    test, value = whole["regions"]
    assert test["from"].startswith(f"versions.c:{inserted}:") and test["changed"] and test["points"] == test["times"] == 1, test
    assert value["after"].startswith(f"versions.c:{condition}:") and value["after_changed"], value
    assert value["from"].startswith(f"versions.c:{new_condition + 1}:") and not value["changed"], value
    assert whole["parts_in_both_versions_after"] == value["after"], whole
    # 0, 1, 2 and 2 * 3; the new version adds 4.
    total = next(each for each in whole["values"] if each["writes"] == "total")
    assert (total["function"], total["good"], total["bad"]) == ("main", 9, 13), total

    text = versions.run("old.rec", "new.rec").stdout.splitlines()
    assert text[0] == "the versions differ in 3 functions:", text
    assert "  versions.c complain: in the bad version only" in text, text
    assert any(line.endswith(f", after versions.c:{condition}:9 (changed)") for line in text), text

    assert any(line.startswith(f"in code of both versions it first parts after versions.c:{condition}:") for line in text), text

    # Where the limit is above all values, the condition decides as before.
    versions.record("old_all", "old", "40")
    versions.record("new_all", "new", "40")
    whole = versions.json("old_all.rec", "new_all.rec")
    assert whole["good_only"] == 0 and whole["bad_only"] == 1 and whole["values"] == [], whole

    # The other way round it is the good run that has more.
    whole = versions.json("new.rec", "old.rec")
    assert whole["bad_only"] == 0 and [each["run"] for each in whole["regions"]] == ["good", "good"], whole


def check_commands(versions):
    """What a version's inserted call does is in its run only; behind it all corresponds."""
    inserted = line_of("new", "// INSERTED")
    page = versions.folder / "page.html"
    whole = versions.json("old/versions 40 clock", "new/versions 40 clock", "--html", page)
    region, = whole["regions"]
    assert region["run"] == "bad" and region["points"] > 2 and whole["good_only"] == 0, whole
    assert "complain" in page.read_text() and "(changed)" in page.read_text()
    # The time differs between two runs of the old version, too.
    assert whole["values"] == [], whole
    text = versions.run("old/versions 40 clock", "new/versions 40 clock").stdout
    assert "2 differences left out" in text, text
    assert f"main (changed) .. versions.c:{inserted + 3}:3 (changed)" in text, text
    # Standard input is the command's.
    (versions.folder / "words").write_text("1 2")
    assert versions.run("old/versions < words", "new/versions < words").returncode == 0


def check_one_version(versions):
    """Runs of one source compiled twice differ as those of one program."""
    versions.record("copy", "copy", "4")
    whole = versions.json("old.rec", "copy.rec", status=1)
    assert whole["versions"]["functions"] == [] and whole["regions"] == [] and whole["values"] == [], whole
    versions.record("old_less", "old", "2")
    versions.record("copy_less", "copy", "2")
    one, two = versions.json("old.rec", "old_less.rec"), versions.json("old.rec", "copy_less.rec")
    assert "versions" not in one, one
    assert one["values"] and all(each["changed"] is False for each in two["values"]), (one, two)

    def values(whole):
        # Statements are finer points than blocks, so they come in another order.
        return sorted((each["position"], each["good"], each["bad"], each["instances"], each["of"]) for each in whole["values"])

    # Between the same statements they are told once, and how often.
    region, = two["regions"]
    assert region["times"] == len(one["regions"]) == 2, (one, two)
    assert all(each[key] == region[key] for each in one["regions"] for key in ("run", "from", "after")), (one, two)
    assert values(one) == values(two), (one, two)


def check_threads(versions):
    """They correspond by the call that created them, though the new version has lines before it."""
    versions.record("old_threads", "old", "4", "threads")
    versions.record("new_threads", "new", "4", "threads")
    whole = versions.json("old_threads.rec", "new_threads.rec")
    assert "threads_of_one_run" not in whole, whole
    thread, = whole["threads"]
    assert thread["created_at"].startswith(f"versions.c:{line_of('old', '// CREATION')}:"), thread
    assert thread["good_only"] == 0 and thread["aligned"] > 10, thread
    region, = thread["regions"]
    assert region["after_changed"], thread


def check_one_path(versions, build):
    """Compiled where the old version was, of which there is no text then: statements correspond by order."""
    for name, version in (("before", "old"), ("after", "new")):
        shutil.copy(PROGRAMS / version / "versions.c", versions.folder)
        subprocess.run([build / "bin/culprit-cc", "-g", "-O1", "-pthread", "versions.c", "-o", name],
                       cwd=versions.folder, check=True)
    done = versions.run("./before 40", "./after 40")
    assert done.returncode == 0 and "versions.c: both versions were compiled from this path" in done.stderr, done
    text = done.stdout.splitlines()
    assert text[0] == "the versions differ in 2 functions:" and text[1].lstrip().startswith("versions.c main: "), text
    assert any("0 are in the good run only, 1 in the bad one only" in line for line in text), text


def check_refusals(versions):
    done = versions.run("--slice", "old.rec", "new.rec")
    assert done.returncode == 2 and "record both runs with one version" in done.stderr, done
    (versions.folder / "old" / "versions.c").rename(versions.folder / "old" / "gone.c")
    done = versions.run("old.rec", "new.rec")
    assert done.returncode == 0 and "of 1 source file the lines were not compared" in done.stderr, done
    assert "old/versions.c" in done.stderr and "complain: in the bad version only" in done.stdout, done
    assert "0 are in the good run only" in done.stdout, done


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    build = parser.parse_args().build.resolve()
    with tempfile.TemporaryDirectory() as folder:
        versions = Versions(build, pathlib.Path(folder))
        check_recordings(versions)
        check_commands(versions)
        check_one_version(versions)
        check_threads(versions)
        check_one_path(versions, build)
        check_refusals(versions)


if __name__ == "__main__":
    main()
