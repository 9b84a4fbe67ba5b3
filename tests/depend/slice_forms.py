#!/usr/bin/env python3
"""Criteria and forms of `culprit slice` of a recording: the memory of an expression and of a range, trees, graphs, kept slices
and their numbers, and what is said of calls that nothing describes.  Usage: slice_forms.py BIN_FOLDER"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).with_suffix(".c")
LINE = {mark: number for number, text in enumerate(SOURCE.read_text().splitlines(), 1) for mark in re.findall(r"// ([A-Z]+)$", text)}


def check(holds, *what):
    if not holds:
        sys.exit("slice_forms: " + " ".join(map(str, what)))


def main():
    binaries = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="culprit-forms-") as name:
        folder = pathlib.Path(name)
        environment = dict(os.environ, CULPRIT_CACHE=str(folder / "cache"))

        def culprit(*words, status=0):
            done = subprocess.run([binaries / "culprit", *map(str, words)], cwd=folder, env=environment, capture_output=True, text=True,
                                  timeout=100)
            check(done.returncode == status, words, done.returncode, done.stdout, done.stderr)
            return done

        def lines(done):
            found = json.loads(done.stdout)["statements"]
            return {each["line"] for each in found if each["file"].endswith(SOURCE.name)}

        (folder / "library.c").write_text("int of_a_library(char *text) { return text[0] == 0; }\n")
        subprocess.run(["cc", "-c", folder / "library.c", "-o", folder / "library.o"], check=True)
        subprocess.run([binaries / "culprit-cc", "-O1", "-g", SOURCE, folder / "library.o", "-o", folder / "forms"], check=True)
        culprit("record", "-o", "rec", "--", "./forms")
        at = f"{SOURCE.name}:{LINE['PRINT']}"

        # Each member has its own writers, whatever way leads to it.
        weight = lines(culprit("slice", "rec", "--at", at, "--expr", "first.next->weight", "--json"))
        check(LINE["WEIGHT"] in weight and LINE["KEY"] not in weight, weight)
        key = lines(culprit("slice", "rec", "--at", at, "--expr", "list->key", "--json"))
        check(LINE["KEY"] in key and LINE["WEIGHT"] not in key, key)
        computed = culprit("slice", "rec", "--at", at, "--expr", "list->key + 1", status=2)
        check("lies nowhere" in computed.stderr, computed.stderr)
        unrecorded = culprit("slice", "--at", at, "--expr", "list->key", "--", "./forms", status=2)
        check("of a recording only" in unrecorded.stderr, unrecorded.stderr)
        # A range of addresses is the same memory.
        address = json.loads(culprit("value", "rec", "--at", at, "--json", "&list->key").stdout)["&list->key"].split()[0]
        check(lines(culprit("slice", "rec", "--at", at, "--memory", f"{address}+4", "--json")) == key)
        both = lines(culprit("slice", "rec", "--at", at, "--memory", f"{address}+8", "--json"))
        check(LINE["KEY"] in both, both)

        # What nothing describes is told, and named where it is asked for.
        asked = culprit("slice", "rec", "--at", at)
        check("the run called 1 function of libraries that nothing describes" in asked.stderr, asked.stderr)
        check(re.search(r"^ *1 of_a_library$", culprit("dump", "graph", "rec/trace").stdout, re.M))

        # Numbers stay with the recording: a question that is asked again keeps its own, one that is forgotten is not given again.
        numbers = re.findall(r"^ *(\d+) .*?(--at.*)$", culprit("slice", "rec", "--list").stdout, re.M)
        check([number for number, _ in numbers] == ["1", "2", "3", "4", "5"], numbers)
        check(numbers[1][1] == f"--at {at} --expr list->key", numbers)
        again = culprit("slice", "rec", "--at", at, "--expr", "list->key", "--json")
        check("culprit: slice 2\n" in again.stderr and lines(culprit("slice", "rec", "--number", 2, "--json")) == key, again.stderr)
        culprit("slice", "rec", "--forget", 5)
        check("culprit: slice 6\n" in culprit("slice", "rec", "--at", at).stderr)
        culprit("slice", "rec", "--number", 5, status=2)
        culprit("slice", "forms", "--list", status=2)

        # As a tree from the criterion, and as a graph with an edge for each dependence.
        tree = culprit("slice", "rec", "--number", 1, "--tree", "--depth", 2).stdout.splitlines()
        check(tree[0].startswith(f"{SOURCE.name}:{LINE['WEIGHT']}:"), tree)
        check(len(tree) > 1 and all(re.match(r" +(data|control|address): ", each) for each in tree[1:]), tree)
        whole = json.loads(culprit("slice", "rec", "--at", at, "--json").stdout)
        alone = json.loads(culprit("slice", "rec", "--at", at, "--json", "--no-instances").stdout)
        check(alone["statements"] == whole["statements"] and not alone["instances"] and not alone["edges"], alone)
        check(sum(each["instances"] for each in whole["statements"]) == len(whole["instances"]), "counted instances")
        dot = culprit("slice", "rec", "--at", at, "--dot").stdout
        check(dot.startswith("digraph slice {") and dot.rstrip().endswith("}"), dot[:100])
        check(len(re.findall(r"^  n\d+ -> n\d+ ", dot, re.M)) == len(whole["edges"]), "edges of the graph")
        check(len(re.findall(r"^  n\d+ \[", dot, re.M)) == len(whole["instances"]), "nodes of the graph")
        page = folder / "page.html"
        culprit("slice", "rec", "--number", 1, "--html", page)
        check("rec --at" in page.read_text() and "first.next-&gt;weight" in page.read_text(), "the page does not say what it is of")

        # Described are at least as many functions as a program of the usual kind calls.
        described = json.loads(culprit("dump", "external", "--described", "--json").stdout)
        check(len(described) >= 400, len(described), "functions are described")


if __name__ == "__main__":
    main()
