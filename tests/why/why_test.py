#!/usr/bin/env python3
"""`culprit why` from outside: what it says of small programs, and that altered runs leave no trace.

Usage: why_test.py BIN_DIR SOURCE_DIR
"""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

BIN = pathlib.Path(sys.argv.pop(1)).resolve()
SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()


class WhyTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.environment = dict(os.environ, CULPRIT_CACHE=str(self.folder / "cache"))

    def compile(self, source):
        program = self.folder / "prog"
        subprocess.run([BIN / "culprit-cc", "-O2", "-w", "-o", program, source], check=True)
        return program

    def why(self, *arguments, status=0, stdin=subprocess.DEVNULL):
        run = subprocess.run([BIN / "culprit", "why", "--json", *arguments], cwd=self.folder, stdin=stdin,
                             env=self.environment, capture_output=True, text=True)
        self.assertEqual(run.returncode, status, run.stderr + run.stdout)
        return json.loads(run.stdout)

    def lines_of(self, source, text):
        return [n for n, line in enumerate(source.read_text().splitlines(), 1) if text in line]

    def test_explains_a_crash_in_the_programs_own_words(self):
        source = SOURCE / "examples/orders/orders.c"
        self.compile(source)
        shutil.copy(SOURCE / "examples/orders/orders.txt", self.folder)
        said = self.why("--", "./prog", "orders.txt")
        failing_line = self.lines_of(source, "customer->billed +=")
        self.assertEqual(said["failure"]["kind"], "null-dereference")
        self.assertEqual([said["failure"]["line"]], failing_line)
        self.assertEqual(said["failure"]["function"], "bill")
        variables = {v["name"]: v["value"] for v in said["activations"][0]["variables"]}
        self.assertEqual(variables["customer"], "0x0")
        self.assertEqual(variables["amount"], "300")
        proved = {f["line"] for f in said["findings"] if f["proved"] and f["kind"] == "critical-branch"}
        self.assertLessEqual(set(self.lines_of(source, "strlen(line) < 16")), proved)

    def test_an_expected_output_decides(self):
        source = SOURCE / "tests/why/wrong_total.c"
        self.compile(source)
        (self.folder / "good.txt").write_text("total 10\n")
        said = self.why("--expect", "good.txt", "--", "./prog")
        self.assertEqual(said["failure"]["kind"], "wrong-output")
        # 10 is 1 + 2 + 3 + 4: the fifth value must not count, or the loop must end before it.
        self.assertEqual([(f["line"], f["instance"]) for f in said["findings"]],
                         [(self.lines_of(source, "if (counts(")[0], 5), (self.lines_of(source, "for (")[0], 5)])

    def test_a_run_that_succeeds_is_no_failure(self):
        self.compile(SOURCE / "tests/why/wrong_total.c")
        self.assertIsNone(self.why("--", "./prog", status=1)["failure"])

    def test_altered_runs_leave_no_trace(self):
        self.compile(SOURCE / "tests/why/leaves_traces.c")
        for name in ("victim", "renamed", "written"):
            (self.folder / name).write_text(name)
        with socket.create_server(("127.0.0.1", 0)) as server:
            server.settimeout(0.2)
            self.environment["PORT"] = str(server.getsockname()[1])
            (self.folder / "input").write_text("0123456789")
            before = sorted(p.name for p in self.folder.iterdir())
            with open(self.folder / "input") as stdin:
                said = self.why("--", "./prog", stdin=stdin)
            with self.assertRaises(TimeoutError):
                server.accept()
        # The altered run did get that far.
        self.assertTrue(any(f["kind"] == "critical-branch" and f["proved"] for f in said["findings"]), said)
        self.assertEqual(sorted(set(p.name for p in self.folder.iterdir()) - {"cache"}), sorted(set(before) - {"cache"}))
        for name in ("victim", "renamed", "written"):
            self.assertEqual((self.folder / name).read_text(), name)


if __name__ == "__main__":
    unittest.main()
