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

import sarif

BIN = pathlib.Path(sys.argv.pop(1)).resolve()
SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()


class WhyTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.environment = dict(os.environ, CULPRIT_CACHE=str(self.folder / "cache"))

    def compile(self, source):
        program = self.folder / "prog"
        compiler = "culprit-c++" if source.suffix == ".cc" else "culprit-cc"
        subprocess.run([BIN / compiler, "-O2", "-w", "-o", program, source], check=True)
        return program

    def why(self, *arguments, status=0, stdin=subprocess.DEVNULL):
        run = subprocess.run([BIN / "culprit", "why", "--json", *arguments], cwd=self.folder, stdin=stdin,
                             env=self.environment, capture_output=True, text=True)
        self.assertEqual(run.returncode, status, run.stderr + run.stdout)
        return json.loads(run.stdout)

    def lines_of(self, source, text):
        return [n for n, line in enumerate(source.read_text().splitlines(), 1) if text in line]

    def test_follows_a_pointer_that_went_far(self):
        said, line = self.subject("walks_far")
        self.assertEqual((said["failure"]["kind"], said["failure"]["line"]), ("null-dereference", line("// crash")))
        self.assertEqual(said["failure"]["origin"]["line"], line("// origin"))

    def test_follows_a_value_that_was_carried_far(self):
        said, line = self.subject("carried_far")
        self.assertEqual((said["failure"]["kind"], said["failure"]["line"]), ("arithmetic", line("// crash")))
        self.assertEqual(said["failure"]["origin"]["line"], line("// origin"))

    def kinds(self, said):
        return {(finding["kind"], finding["line"]) for finding in said["findings"]}

    def test_sees_what_is_written_to_a_freed_block(self):
        said, line = self.subject("stale_element", "150\n", ending="cc")
        moves, stale = line("// moves"), line("// stale")
        self.assertEqual(said["failure"]["kind"], "wrong-output")
        self.assertLessEqual({("use-after-free", stale), ("freed-here", moves)}, self.kinds(said))
        self.assertEqual([suspect["line"] for suspect in said["suspects"][:2]], [moves, stale])

    def test_tells_what_no_program_may_do_of_a_run_that_passes(self):
        said, line = self.subject("stale_element", ending="cc", options=["--sarif", "why.sarif", "--html", "why.html"])
        self.assertIsNone(said["failure"])
        self.assertEqual(sarif.faults(json.loads((self.folder / "why.sarif").read_text())), [])
        self.assertIn("first-&gt;balance += 100", (self.folder / "why.html").read_text())
        self.assertIn(("use-after-free", line("// stale")), self.kinds(said))
        text = subprocess.run([BIN / "culprit", "why", "--", "./prog"], cwd=self.folder, env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stdout
        self.assertIn("did not fail in", text)
        self.assertIn("But it did what no program may do", text)

    def test_a_variable_of_a_function_that_has_returned(self):
        said, line = self.subject("keeps_local")
        gives, uses = line("// gives away"), line("// uses")
        self.assertEqual(said["failure"]["kind"], "abort")
        self.assertLessEqual({("use-after-return", uses), ("address-made-here", gives)}, self.kinds(said))
        self.assertEqual([suspect["line"] for suspect in said["suspects"][:2]], [gives, uses])

    def test_a_function_that_goes_past_a_variable_it_knows_by_a_pointer(self):
        said, line = self.subject("copies_too_much")
        self.assertIn(("buffer-overflow", line("// leaves")), self.kinds(said))
        told = next(each["evidence"] for each in said["findings"] if each["line"] == line("// leaves"))
        self.assertIn("writes byte 8 of `title`, which has 8 bytes", told)

    def test_of_a_freed_block_that_is_hit_another_one_was_left(self):
        said, line = self.subject("counts_down", "three two one\n", ending="cc")
        self.assertIn(("heap-overflow", line("// leaves")), self.kinds(said))
        self.assertNotIn("use-after-free", {kind for kind, _ in self.kinds(said)})
        self.assertEqual([suspect["line"] for suspect in said["suspects"][:2]], [line("// leaves"), line("// never ends")])

    def test_memory_that_had_another_owner_since_was_freed_all_the_same(self):
        expected = "[a rather long first field here]\n[the second is rather long as well]\n"
        said, line = self.subject("view_of_temporary", expected, ending="cc")
        frees, uses = line("// frees"), line("// uses")
        self.assertLessEqual({("use-after-free", uses), ("freed-here", frees)}, self.kinds(said))
        self.assertNotIn("heap-overflow", {kind for kind, _ in self.kinds(said)})
        self.assertEqual([suspect["line"] for suspect in said["suspects"][:2]], [frees, uses])

    def test_sees_a_pointer_walk_past_its_array(self):
        said, line = self.subject("walks_past", arguments=["one averyveryverylongword two", "fails"])
        past = line("// far past")
        self.assertEqual((said["failure"]["kind"], said["failure"]["line"]), ("buffer-overflow", past))
        found, = [f for f in said["findings"] if f["kind"] == "array-bounds"]
        self.assertIn("element 12 of an array that has 12", found["evidence"])
        self.assertEqual(said["suspects"][0]["line"], past)
        # A run that passes does it as well; one that stays inside is told nothing of.
        passing = self.why("--", "./prog", "one twelveletter two")
        self.assertIsNone(passing["failure"])
        self.assertIn(("array-bounds", line("// just past")), self.kinds(passing))
        self.assertEqual(self.why("--", "./prog", "one two", status=1)["findings"], [])

    def test_a_pointer_that_leads_nowhere_leaves_no_array(self):
        said, line = self.subject("points_nowhere")
        self.assertEqual((said["failure"]["kind"], said["failure"]["line"]), ("null-dereference", line("// fails")))
        self.assertNotIn("array-bounds", {kind for kind, _ in self.kinds(said)})

    def test_sees_what_goes_far_past_a_block(self):
        said, line = self.subject("wraps_size")
        self.assertEqual((said["failure"]["kind"], said["failure"]["line"]), ("heap-corruption", line("// ends here")))
        self.assertIn(f"wraps_size.c:{line('// overruns')}", said["failure"]["message"])
        suspects = [suspect["line"] for suspect in said["suspects"]]
        self.assertEqual(suspects[:2], [line("// overruns"), line("// too small")])

    def test_of_a_long_run_its_end_is_traced(self):
        source = SOURCE / "tests/why/long_run.c"
        self.compile(source)
        said = self.why("--", "./prog")
        self.assertEqual(said["failure"]["kind"], "null-dereference")
        self.assertEqual([said["failure"]["line"]], self.lines_of(source, "// crash"))
        origin, = self.lines_of(source, "// origin")
        kinds = {(finding["kind"], finding["line"]) for finding in said["findings"]}
        self.assertIn(("value-origin", origin), kinds)
        branch = next(f for f in said["findings"] if f["line"] == origin and f["kind"] == "critical-branch")
        made = next(f for f in said["findings"] if f["kind"] == "value-origin")
        self.assertTrue(branch["proved"])
        self.assertEqual(branch["instance"], 17000001)
        # The crash is got past, in the block that had called.
        self.assertIn("would be executed and go well", branch["evidence"])
        self.assertIn(origin, [suspect["line"] for suspect in said["suspects"][:3]])
        self.assertTrue(any("culprit record -o recording" in step and "culprit slice recording --at" in step for step in said["next_steps"]), said["next_steps"])
        # Where the trace has no beginning nobody knows the how-manieth execution it was.
        self.assertTrue(made["route"])
        self.assertEqual({step["instance"] for step in made["route"]}, {0})
        self.assertTrue(any("branch instances" in limit for limit in said["limits"]), said["limits"])

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
        ignored, = self.lines_of(source, "strlen(line) < 16")
        self.assertIn(ignored, proved)
        # With the customer's line not ignored the order goes well; with the order left out nothing is learnt.
        well = f"Line {failing_line[0]} would be executed and go well."
        good = [f for f in said["findings"] if well in f["evidence"]]
        order, = self.lines_of(source, "else if (sscanf(line, \"order")
        self.assertIn(ignored, [f["line"] for f in good])
        self.assertNotIn(order, [f["line"] for f in good])
        self.assertTrue(any(f["line"] == order and "But it would not come to line" in f["evidence"] for f in said["findings"]))
        self.assertIn(ignored, [suspect["line"] for suspect in said["suspects"][:3]])
        # The null pointer was made where no customer was found.
        self.assertEqual([f["line"] for f in said["findings"] if f["kind"] == "value-origin"],
                         self.lines_of(source, "return NULL"))

    def test_says_that_it_finished_where_nothing_is_left_to_try(self):
        orders = SOURCE / "examples/orders"
        self.compile(orders / "orders.c")
        said = self.why("--expect", orders / "expected.txt", "--", "./prog", orders / "orders.txt")
        self.assertTrue(said["complete"])

    def test_altered_runs_share_no_position_in_files(self):
        # A run that ends early moves the position of the file it reads; the next ones must not notice.
        source = SOURCE / "examples/orders/orders.c"
        self.compile(source)
        for name in ("orders.txt", "expected.txt"):
            shutil.copy(SOURCE / "examples/orders" / name, self.folder)
        said = self.why("--expect", "expected.txt", "--", "./prog", "orders.txt")
        critical = {(f["line"], f["instance"]) for f in said["findings"] if f["kind"] == "critical-branch" and f["proved"]}
        self.assertEqual(critical, {(self.lines_of(source, "strlen(line) < 16")[0], 2),
                                    (self.lines_of(source, "if (is_ignored(line))")[0], 3)})

    def test_an_expected_output_decides(self):
        source = SOURCE / "tests/why/wrong_total.c"
        self.compile(source)
        (self.folder / "good.txt").write_text("total 10\n")
        said = self.why("--expect", "good.txt", "--", "./prog")
        self.assertEqual(said["failure"]["kind"], "wrong-output")
        # 10 is 1 + 2 + 3 + 4: the fifth value must not count, or the loop must end before it.
        self.assertEqual([(f["line"], f["instance"]) for f in said["findings"] if f["kind"] == "critical-branch"],
                         [(self.lines_of(source, "if (counts(")[0], 5), (self.lines_of(source, "for (")[0], 5)])

    def test_who_expects_an_output_does_not_mind_the_exit_status(self):
        said, line = self.subject("warns", expected="1\n2\n3\n")
        self.assertIn(line("if (i == 2)"), self.proved(said, "critical-branch"))
        said, line = self.subject("warns", expected="1\n2\n3\n", options=["--expect-exit", "0"])
        self.assertNotIn(line("if (i == 2)"), self.proved(said, "critical-branch"))

    def test_what_an_altered_run_says_on_standard_error_is_not_its_output(self):
        said, line = self.subject("warns_when_good", expected="good\n")
        self.assertIn(line("if (argc > 1)"), self.proved(said, "critical-branch"))

    def test_the_users_own_word_decides(self):
        source = SOURCE / "tests/why/wrong_total.c"
        self.compile(source)
        said = self.why("--fails-if", "grep -q 15", "--", "./prog")
        self.assertEqual(said["failure"]["kind"], "predicate")
        proved = {f["line"] for f in said["findings"] if f["kind"] == "critical-branch" and f["proved"]}
        self.assertIn(self.lines_of(source, "if (counts(")[0], proved)
        self.assertIsNone(self.why("--fails-if", "grep -q NaN", "--", "./prog", status=1)["failure"])

    def test_a_reference_command_says_what_is_expected(self):
        source = SOURCE / "tests/why/wrong_total.c"
        self.compile(source)
        said = self.why("--expect-cmd", "echo total 10", "--html", "why.html", "--sarif", "why.sarif", "--", "./prog")
        self.assertEqual([(f["line"], f["instance"]) for f in said["findings"] if f["kind"] == "critical-branch"],
                         [(self.lines_of(source, "if (counts(")[0], 5), (self.lines_of(source, "for (")[0], 5)])
        page = (self.folder / "why.html").read_text()
        self.assertIn("if (counts(value, 5)) total += value;", page)
        self.assertNotIn("http", page.replace("http-equiv", ""))
        sarif = json.loads((self.folder / "why.sarif").read_text())
        failure = sarif["runs"][0]["results"][0]
        self.assertEqual((failure["ruleId"], failure["level"]), ("wrong-output", "error"))
        run = subprocess.run([BIN / "culprit", "why", "--expect-cmd", "exit 3", "--", "./prog"], cwd=self.folder,
                             env=self.environment, capture_output=True, text=True)
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertIn("exit status 3", run.stderr)

    def subject(self, name, expected=None, options=(), arguments=(), ending="c"):
        """Explains tests/why/NAME.c; returns what was said and the line that holds a text."""
        source = SOURCE / "tests/why" / f"{name}.{ending}"
        self.compile(source)
        if expected is not None:
            (self.folder / "good.txt").write_text(expected)
            options = [*options, "--expect", "good.txt"]
        return (self.why(*options, "--", "./prog", *arguments),
                lambda text, last=False: self.lines_of(source, text)[-1 if last else 0])

    def proved(self, said, kind):
        return [f["line"] for f in said["findings"] if f["kind"] == kind and f["proved"]]

    def test_use_of_freed_memory_names_the_use_and_the_release(self):
        said, line = self.subject("used_after_free", "alice\n")
        self.assertEqual(said["failure"]["line"], line('printf("%s'))
        self.assertEqual(self.proved(said, "use-after-free"), [line('printf("%s')])
        self.assertEqual(self.proved(said, "freed-here"), [line("forget(&user)")])
        self.assertEqual(self.proved(said, "allocated-here"), [line("{malloc(16)}")])
        self.assertEqual(said["suspects"][0]["line"], line("forget(&user)"))

    def test_freed_memory_that_nobody_else_got_is_found_by_what_it_holds(self):
        said, line = self.subject("stale_copy", "new\n")
        self.assertEqual(self.proved(said, "use-after-free"), [line("puts(line)")])
        self.assertEqual(self.proved(said, "freed-here"), [line("need(100000)")])
        # Where a guarded block is not accessed, because it lies elsewhere, the branch is named.
        said, line = self.subject("stale_begin", "new\n")
        self.assertEqual(self.proved(said, "use-after-free"), [line("for (")])
        self.assertEqual(self.proved(said, "freed-here"), [line("realloc(")])
        self.assertIn(line("  grow();"), [s["line"] for s in said["suspects"][:3]])

    def test_a_write_past_a_heap_block_is_caught_where_it_happens(self):
        said, line = self.subject("heap_overflow", "1\n")
        self.assertEqual(said["failure"]["line"], line("numbers[i] = 7"))
        self.assertEqual(self.proved(said, "heap-overflow"), [line("numbers[i] = 7")])
        self.assertEqual(said["suspects"][0]["line"], line("numbers[i] = 7"))
        self.assertEqual(said["suspects"][1]["line"], line("long* numbers = malloc"))

    def test_where_the_heap_was_used_wrongly_before_is_told_of_a_crash(self):
        said, line = self.subject("fails_later")
        self.assertEqual(said["failure"]["kind"], "use-after-free")
        self.assertIn(f"used memory that it had freed (fails_later.c:{line('name = kept->name')}), and went on.",
                      said["failure"]["message"])
        self.assertEqual(said["suspects"][0]["line"], line("free(first->next)"))
        said, line = self.subject("fails_later", arguments=["noticed"])
        self.assertEqual(said["failure"]["kind"], "heap-corruption")
        self.assertIn(f"accessed memory outside a heap block (fails_later.c:{line('small[i] = ')}), and went on. libc found",
                      said["failure"]["message"])
        self.assertEqual(said["suspects"][0]["line"], line("small[i] = "))

    def test_memory_that_was_never_written_names_its_allocation(self):
        said, line = self.subject("uninitialised", "new\n")
        self.assertEqual(self.proved(said, "uninitialised-read"), [line("session->logins > 0")])
        self.assertEqual(self.proved(said, "allocated-here"), [line("malloc(sizeof *session)")])

    def test_a_variable_that_was_never_written_is_named(self):
        # As a pointer that is followed, as a number that is printed, and as a condition.
        said, line = self.subject("never_written")
        self.assertEqual(said["failure"]["kind"], "wild-pointer")
        self.assertIn("a pointer that was never written", said["failure"]["message"])
        self.assertEqual({v["name"]: v["value"] for v in said["activations"][0]["variables"]}["word"], "never written")
        self.assertEqual(self.proved(said, "never-written"), [line("struct Word* found;")])
        self.assertEqual((said["failure"]["origin"]["line"], said["failure"]["origin"]["how"]), (line("struct Word* found;"), "unwritten"))
        self.assertEqual(said["suspects"][0]["line"], line("struct Word* found;"))
        for arguments, expected, declared in ((["a", "medium"], 4, "int width;"), (["a", "b", "c"], 1, "int on;")):
            said, line = self.subject("never_written", expected=f"width {expected}\n", arguments=arguments)
            self.assertEqual(self.proved(said, "never-written"), [line(declared)])
            self.assertIn(line(declared), [s["line"] for s in said["suspects"][:3]])
            self.assertNotIn("-1431655766", json.dumps(said))

    def test_a_variable_that_was_never_given_a_value_is_named(self):
        said, line = self.subject("never_set", "total 6\n")
        found = [f for f in said["findings"] if f["kind"] == "uninitialised-read"]
        self.assertEqual([f["line"] for f in found], [line("sum += numbers[i]")])
        self.assertIn("`sum` is read before it was ever given a value", found[0]["evidence"])
        self.assertFalse(found[0]["proved"])
        self.assertIn(line("int sum;"), [s["line"] for s in said["suspects"][:3]])

    def test_what_left_out_an_assignment_is_named(self):
        said, line = self.subject("set_elsewhere", "3 kg\n")
        found = [f for f in said["findings"] if f["kind"] == "uninitialised-read"]
        self.assertEqual([f["line"] for f in found], [line("grams / scale")])
        # The last test that could still have given it a value.
        self.assertIn(f"set_elsewhere.c:{line('scale = 1000000')} would have given it one", found[0]["evidence"])
        self.assertLessEqual({line("grams / scale"), line("int scale;"), line("scale = 1000000")},
                             {s["line"] for s in said["suspects"][:4]})

    def test_what_only_the_programs_own_executable_shows_is_said_to_be_that(self):
        said, line = self.subject("only_own", options=["--tries", "5"])
        self.assertTrue(said["failure"]["only_own_program"])
        self.assertEqual(said["failure"]["kind"], "signal")
        self.assertIn("in 3 of 3 runs", said["failure"]["message"])
        self.assertEqual([(f["line"], f["proved"]) for f in said["findings"]], [(line("if (*slot != NULL)"), False)])
        self.assertIn("hands it on at only_own.c:%d" % line("shorten(&text)"), said["findings"][0]["evidence"])
        self.assertEqual(said["suspects"][0]["line"], line("shorten(&text)"))

    def test_a_message_in_place_of_the_output_is_followed(self):
        said, line = self.subject("says_why_not", expected="3 words\n", arguments=["one two three"])
        self.assertIn("says_why_not: too long: one two three", said["failure"]["message"])
        self.assertEqual(said["failure"]["line"], line("fprintf(stderr"))
        self.assertIn(line("most = 8"), [s["line"] for s in said["suspects"][:3]])

    def test_a_message_in_the_middle_of_the_output_is_followed(self):
        said, line = self.subject("said_instead", expected="3 apples\n7 apples\n4 apples\n")
        self.assertIn("Instead the program said: ./prog: 7 is too large", said["failure"]["message"])
        self.assertEqual(said["failure"]["line"], line("error(0, 0"))
        # It comes after the last right byte, and before the first wrong one.
        self.assertIn(line("if (number > most)"), self.proved(said, "critical-branch"))
        self.assertIn(line("argc > 1 ? 9 : 4"), [s["line"] for s in said["suspects"][:4]])

    def test_of_a_wrong_status_from_main_the_message_is_followed(self):
        said, line = self.subject("ends_with_status", arguments=["1", "4", "5"])
        self.assertEqual((said["failure"]["kind"], said["failure"]["line"]), ("exit-status", line("fprintf(stderr")))
        self.assertIn(line("argc > 5 ? 9 : 3"), [s["line"] for s in said["suspects"][:4]])

    def test_a_wrong_status_that_main_returns_without_a_word_is_followed(self):
        said, line = self.subject("returns_status")
        self.assertEqual((said["failure"]["kind"], said["failure"]["line"]), ("exit-status", line("// failure")))
        self.assertIn(line("// loses"), [each["line"] for each in said["suspects"]])

    def test_what_made_a_program_complain_is_told_though_it_ended_later(self):
        said, line = self.subject("says_and_ends", arguments=["#a", "b", "#c"])
        self.assertEqual((said["failure"]["kind"], said["failure"]["line"]), ("exit-status", line("REPORT(\"line")))
        origin = said["failure"]["origin"]
        self.assertEqual((origin["line"], origin["how"]), (line("return kBadMark"), "constant"))
        self.assertIn("because of which", [f for f in said["findings"] if f["kind"] == "value-origin"][0]["evidence"])
        self.assertIn(line("line[0] != '#'"), self.proved(said, "critical-branch"))
        self.assertIn(line("line[0] != '#'"), [s["line"] for s in said["suspects"][:3]])

    def test_a_function_that_is_given_a_list_of_arguments_only_formats_them(self):
        said, line = self.subject("says_by_list", arguments=["12", "305", "7"])
        self.assertEqual((said["failure"]["kind"], said["failure"]["line"]), ("exit-status", line("// says")))
        self.assertEqual(said["suspects"][0]["line"], line("// tested"))

    def test_what_made_a_program_complain_is_told_though_nobody_knows_the_bytes(self):
        said, line = self.subject("says_by_error", expected="1\n9\n", arguments=["1", "09"])
        self.assertEqual(said["failure"]["line"], line("// says"))
        self.assertEqual([f["line"] for f in said["findings"] if f["kind"] == "value-origin"], [line("// made")])
        self.assertEqual(said["suspects"][0]["line"], line("// made"))

    def test_the_first_run_is_explained_where_later_ones_fail_otherwise(self):
        said, line = self.subject("leaves_a_file", arguments=["8"])
        self.assertEqual((said["failure"]["kind"], said["failure"]["line"]), ("exit-status", line("exit(1);")))
        self.assertIn("400 is too much", said["failure"]["message"])
        self.assertIn("Run again, it failed otherwise", said["failure"]["message"])
        self.assertIn(line("number > 6"), self.proved(said, "critical-branch"))

    def test_what_kept_a_variable_from_being_written_is_depended_on(self):
        said, line = self.subject("kept_default", arguments=["b"])
        self.assertEqual((said["failure"]["kind"], said["failure"]["line"]), ("abort", line("abort();")))
        # Only the comparison that did not hold read it.
        wrong = [s for s in said["suspects"] if s["line"] == line("first + 7")]
        self.assertEqual([s["why"] for s in wrong], ["the failure depends on it"])

    def test_a_guard_that_let_the_bad_value_pass_is_suspect(self):
        said, line = self.subject("guarded_division")
        self.assertEqual((said["failure"]["kind"], said["failure"]["line"]), ("arithmetic", line("number / divisor")))
        guard = said["suspects"][0]
        self.assertEqual((guard["line"], guard["why"]),
                         (line("if (divisor == 0)"), "it tests the value that the failing statement uses, and let it pass"))

    def test_a_condition_of_many_parts_is_no_more_suspect_than_another(self):
        said, line = self.subject("long_condition", expected="ab1\n")
        self.assertEqual([s["line"] for s in said["suspects"][:2]], [line("if (is_sign("), line("if (c == '!'")])

    def test_of_loops_in_one_another_the_one_that_turns_is_named(self):
        said, line = self.subject("jumps_back", options=["--timeout", "1"])
        self.assertEqual((said["failure"]["kind"], said["failure"]["line"]), ("hang", line("switch (token.kind)")))
        self.assertTrue(any("It tests token " in f["evidence"] for f in said["findings"]), said["findings"])

    def test_an_array_left_by_its_index_is_named(self):
        said, line = self.subject("array_overflow", "total 100\n")
        store = line("table.lengths[count] =")
        self.assertEqual(self.proved(said, "array-bounds"), [store])
        finding = [f for f in said["findings"] if f["kind"] == "array-bounds"][0]
        self.assertIn("element 4 of an array that has 4 elements", finding["evidence"])
        self.assertIn("the run would have succeeded", finding["evidence"])
        self.assertEqual(said["failure"]["kind"], "buffer-overflow")
        self.assertEqual((said["failure"]["line"], said["suspects"][0]["line"]), (store, store))

    def test_an_array_left_before_the_program_gave_up_is_the_failure(self):
        said, line = self.subject("array_overflow_noticed")
        store = line("table.lengths[each] =")
        self.assertEqual(self.proved(said, "array-bounds"), [store])
        self.assertNotIn("would have succeeded", [f for f in said["findings"] if f["kind"] == "array-bounds"][0]["evidence"])
        self.assertEqual((said["failure"]["kind"], said["failure"]["line"]), ("buffer-overflow", store))

    def test_another_case_of_a_switch_is_tried(self):
        said, line = self.subject("wrong_case", "shape:\ncircle\n")
        # Where the first wrong byte leaves the program.
        self.assertEqual(said["failure"]["line"], line("puts(name_of"))
        self.assertEqual(self.proved(said, "critical-branch"), [line("switch (shape")])
        self.assertEqual(said["suspects"][0]["line"], line("switch (shape"))

    def test_a_wrong_value_is_traced_to_the_branch_that_chose_it(self):
        said, line = self.subject("wrong_constant", "a: 1\nb: 5\nc: 3\n")
        self.assertEqual(set(self.proved(said, "influencing-branch")), {line("switch (key)")})
        self.assertIn(line("return 2"), [s["line"] for s in said["suspects"][:3]])

    def test_a_branch_that_is_wrong_each_time_is_switched_each_time(self):
        said, line = self.subject("wrong_twice", "1\n2\n")
        self.assertEqual(self.proved(said, "critical-branch"), [line("if (negative)")])

    def test_cases_that_a_switch_came_to_before_are_tried_first(self):
        said, line = self.subject("many_cases", "618\n")
        found, = [f for f in said["findings"] if f["kind"] == "critical-branch" and f["proved"]]
        self.assertEqual((found["line"], found["instance"]), (line("switch (codes[i])"), 3))
        self.assertIn("had it led to line %d," % line("case 11:"), found["evidence"])

    def test_a_loop_entered_against_its_test_reads_what_it_needs(self):
        said, line = self.subject("entered_loop", "4\n")
        self.assertEqual(self.proved(said, "critical-branch"), [line("i < limit")])

    def test_a_condition_that_is_wrong_altogether_is_inverted(self):
        said, line = self.subject("wrong_condition", "1 odd\n2 even\n3 odd\n4 even\n5 odd\n")
        found = [f for f in said["findings"] if f["kind"] == "critical-branch" and f["proved"]]
        self.assertEqual([f["line"] for f in found], [line("if (value % 2 == 0)")])
        self.assertIn("each of its executions", found[0]["evidence"])
        self.assertEqual(said["suspects"][0]["line"], line("if (value % 2 == 0)"))

    def test_a_branch_that_goes_wrong_in_some_executions_is_kept_from_it_in_all(self):
        said, line = self.subject("wrong_sometimes", "4\n")
        found = [f for f in said["findings"] if f["kind"] == "critical-branch" and f["proved"]]
        self.assertEqual([f["line"] for f in found], [line("numbers[i] > limit")])
        self.assertIn(", here and later, the program would do what is expected", found[0]["evidence"])
        self.assertIn(line("limit = 10"), [s["line"] for s in said["suspects"][:3]])

    def test_of_an_output_that_is_too_long_or_too_short_the_length_is_wrong(self):
        said, line = self.subject("too_long", "bb\ndddd\n")
        self.assertEqual(said["failure"]["origin"]["line"], line("found.length = end"))
        self.assertEqual(said["suspects"][0]["line"], line("found.length = end"))
        said, line = self.subject("cut_short", "left-right\n")
        self.assertEqual(said["failure"]["origin"]["line"], line("return length - 1"))
        self.assertEqual(said["suspects"][0]["line"], line("return length - 1"))

    def test_where_more_would_have_been_put_out_is_told_of_an_output_that_ends_too_early(self):
        for arguments, expected in (([], "abcd\nghi\n"), (["abc"], "abc\n")):
            said, line = self.subject("ends_too_early", expected, arguments=arguments)
            self.assertIn("It ends there.", said["failure"]["message"])
            omitted = [f for f in said["findings"] if f["kind"] == "omitted-output"]
            self.assertEqual(omitted[0]["line"], line("// wrong"))
            self.assertIn(f"ends_too_early.c:{line('printf(')}", omitted[0]["evidence"])
            self.assertIn(line("// wrong"), [s["line"] for s in said["suspects"][:2]])
        self.assertEqual(said["failure"]["line"], line("// wrong"))

    def test_what_goes_on_in_a_library_s_headers_is_told_of_who_calls_them(self):
        said, line = self.subject("substring", "abc\n", ending="cc")
        self.assertEqual(said["failure"]["origin"]["line"], line("line.substr"))
        self.assertEqual(said["findings"][0]["line"], line("line.substr"))
        self.assertIn(said["suspects"][0]["line"], (line("line.substr"), line("line.find")))
        self.assertEqual(said["activations"][0]["function"], "main")
        self.assertEqual([v["name"] for v in said["activations"][0]["variables"]], ["line"])

    def test_characters_are_followed_through_strings_of_the_library(self):
        said, line = self.subject("escapes", "a b and a longer text, so that it is on the heap\n", ending="cc")
        origin = said["failure"]["origin"]
        self.assertEqual((origin["line"], origin["how"]), (line("out += '?'"), "constant"))
        self.assertIn(line("out += '?'"), [s["line"] for s in said["suspects"][:2]])

    def test_branches_of_a_clean_up_are_no_branches(self):
        said, line = self.subject("leaves_scope", "odd 3\neven 4\n")
        self.assertEqual(self.proved(said, "critical-branch"), [line("number % 2 == turn")])
        source = (SOURCE / "tests/why/leaves_scope.c").read_text().splitlines()
        branches = [source[f["line"] - 1].strip() for f in said["findings"] if f["kind"].endswith("-branch")]
        self.assertNotIn("}", branches)
        self.assertGreater(len(branches), 3)

    def test_what_no_branch_repairs_is_left_out(self):
        # The call of adapt() helps, too, and the one in it; what is told is the write in there that does.
        source = SOURCE / "tests/why/overwritten.c"
        self.compile(source)
        (self.folder / "good.txt").write_text("rate 300\n")
        said = self.why("--expect", "good.txt", "--", "./prog")
        wrong, = self.lines_of(source, "// wrong")
        self.assertEqual(self.proved(said, "critical-write"), [wrong])
        self.assertEqual(self.proved(said, "critical-call"), [])
        self.assertEqual(said["suspects"][0]["line"], wrong)
        finding, = [f for f in said["findings"] if f["kind"] == "critical-write"]
        self.assertEqual(finding["instance"], 1)
        for call in self.lines_of(source, "adapt(&settings)") + self.lines_of(source, "set_scale(settings, 10)"):
            self.assertIn(f"overwritten.c:{call}:", finding["evidence"])
        # The command that is proposed shows it.
        command = next(c for c in said["next_steps"] if c.startswith("culprit suppress "))
        run = subprocess.run([BIN / "culprit", *command.split()[1:]], cwd=self.folder, env=self.environment,
                             capture_output=True, text=True)
        self.assertEqual(run.stdout, "rate 300\n", run.stderr)

    def test_a_program_that_writes_where_it_is_controlled_from_does_no_harm(self):
        said, _ = self.subject("damages_all", expected="good\n")
        self.assertIn(said["failure"]["kind"], ("wrong-output", "signal"))

    def test_of_a_negative_length_the_length_is_what_is_wrong(self):
        said, line = self.subject("negative_length")
        self.assertEqual(said["failure"]["line"], line("memcpy("))
        self.assertIn("-1 bytes: a negative number", said["failure"]["message"])
        self.assertEqual((said["failure"]["origin"]["line"], said["failure"]["origin"]["how"]), (line("// wrong"), "computed"))
        self.assertEqual(said["suspects"][0]["line"], line("// wrong"))

    def test_of_a_division_the_divisor_is_what_is_wrong(self):
        said, line = self.subject("divides")
        self.assertEqual((said["failure"]["kind"], said["failure"]["line"]), ("arithmetic", line("// fails")))
        self.assertEqual((said["failure"]["origin"]["line"], said["failure"]["origin"]["how"]), (line("// wrong"), "computed"))
        self.assertEqual([s["line"] for s in said["suspects"][:2]], [line("// wrong"), line("// fails")])

    def test_where_no_branch_repairs_another_value_does(self):
        said, line = self.subject("wrong_width", expected="7\n")
        finding = [f for f in said["findings"] if f["kind"] == "critical-value"][0]
        self.assertEqual((finding["line"], finding["instead"], finding["proved"]), (line("// wrong"), 5, True))
        self.assertIn("it returned 6; had it been 5, the program would do what is expected", finding["evidence"])
        self.assertEqual(said["suspects"][0]["line"], line("// wrong"))
        values = {step["line"]: step["value"] for step in finding["route"]}
        self.assertEqual((values[line("int digits =")], values[line("int last =")]), ("digits = 6", "last = 8"))
        # The command that is proposed shows it.
        command = next(c for c in said["next_steps"] if c.startswith("culprit suppress "))
        run = subprocess.run([BIN / "culprit", *command.split()[1:]], cwd=self.folder, env=self.environment,
                             capture_output=True, text=True)
        self.assertEqual(run.stdout, "7\n", run.stderr)

    def test_values_of_members_are_told_as_numbers_with_a_point(self):
        said, line = self.subject("wrong_price", expected="3.0\n")
        finding = [f for f in said["findings"] if f["kind"] == "critical-value"][0]
        self.assertEqual((finding["line"], finding["proved"]), (line("// wrong"), True))
        self.assertIn("stored 2.5; had it been 1.5", finding["evidence"])

    def test_two_conditions_are_switched_together(self):
        source = SOURCE / "tests/why/two_conditions.c"
        self.compile(source)
        (self.folder / "good.txt").write_text("large heavy\n")
        said = self.why("--expect", "good.txt", "--", "./prog")
        first, second = self.lines_of(source, "// wrong")
        self.assertEqual(self.proved(said, "critical-pair"), [first])
        self.assertEqual({s["line"] for s in said["suspects"][:2]}, {first, second})

    def switch(self, *arguments):
        return subprocess.run([BIN / "culprit", "switch", *arguments, "--", "./prog"], cwd=self.folder,
                              env=self.environment, capture_output=True, text=True)

    def test_one_branch_is_switched_by_hand(self):
        source = SOURCE / "tests/why/wrong_condition.c"
        self.compile(source)
        at = f"wrong_condition.c:{self.lines_of(source, 'if (value % 2 == 0)')[0]}"
        self.assertEqual(self.switch("--at", at).stdout, "1 odd\n2 even\n3 odd\n4 even\n5 odd\n")
        self.assertEqual(self.switch("--at", at + "#2").stdout, "1 even\n2 even\n3 even\n4 odd\n5 even\n")
        never = self.switch("--at", at + "#6")
        self.assertEqual(never.returncode, 2)
        self.assertIn("executed 5 times", never.stderr)
        self.assertEqual(self.switch("--at", "wrong_condition.c:6").returncode, 2)

    def test_a_handler_of_the_program_does_not_hide_the_crash(self):
        said, line = self.subject("own_handler", options=["--expect-exit", "0"])
        self.assertEqual(said["failure"]["kind"], "exit-status")
        self.assertEqual(said["failure"]["line"], line("return *nowhere"))

    def test_what_a_program_says_of_its_crash_comes_after_it(self):
        said, line = self.subject("own_report")
        self.assertEqual((said["failure"]["kind"], said["failure"]["line"]), ("null-dereference", line("next->number")))
        self.assertEqual([f["line"] for f in said["findings"] if f["kind"] == "value-origin"], [line("node->right = NULL")])
        self.assertFalse([l for l in said["limits"] if "traced run" in l], said["limits"])

    def test_the_end_of_a_run_is_looked_at_as_it_was(self):
        said, line = self.subject("hashes_address", expected="begins\n7\n")
        self.assertEqual((said["failure"]["kind"], said["failure"]["line"]), ("wrong-output", line("error(2")))
        self.assertFalse([l for l in said["limits"] if "failure depended on" in l], said["limits"])
        self.assertIn(line("most = 4"), [s["line"] for s in said["suspects"][:3]])

    def test_what_the_run_that_is_cut_off_executes_more_does_not_end_the_log_too_early(self):
        said, line = self.subject("reads_own_maps", expected="one\n")
        self.assertIn(line("// wrong"), self.proved(said, "critical-branch"))
        self.assertEqual(said["suspects"][0]["line"], line("// wrong"))

    def test_a_recursion_without_end_overflows_the_stack(self):
        said, line = self.subject("deep_recursion")
        self.assertEqual(said["failure"]["kind"], "stack-overflow")
        self.assertEqual((said["failure"]["function"], said["failure"]["line"]), ("depth", line("return depth")))

    def test_where_the_machine_stack_is_used_up_replays_end_too(self):
        # By the replayed run: without it the program itself would be run again and again.
        said, line = self.subject("machine_stack")
        self.assertEqual(said["failure"]["kind"], "stack-overflow")
        self.assertEqual((said["failure"]["function"], said["failure"]["line"]), ("weighed", line("// again")))
        self.assertFalse([l for l in said["limits"] if "replay" in l or "recording the" in l], said["limits"])
        self.assertEqual(said["suspects"][0]["line"], line("// again"))

    def test_what_a_recursion_without_end_copies_each_time_is_not_told_each_time(self):
        # Of every call all copies before it would be told: minutes, and gigabytes.
        source = SOURCE / "tests/why/includes_itself.c"
        self.compile(source)
        run = subprocess.run([BIN / "culprit", "why", "--json", "--", "./prog"], cwd=self.folder, timeout=120,
                             env=self.environment, capture_output=True, text=True)
        said = json.loads(run.stdout)
        self.assertIn(self.lines_of(source, "// again")[0], [each["line"] for each in said["suspects"][:2]])

    def test_a_recursion_is_told_with_what_changes(self):
        # It goes as deep as its input; it walks a ring; it calls itself with what it was given.
        said, line = self.subject("deep_nesting")
        recursion, = [f for f in said["findings"] if f["kind"] == "endless-recursion"]
        self.assertRegex(recursion["evidence"], r"^\d{5,} calls were active. They go round: ")
        self.assertIn("list (line ", recursion["evidence"])
        calls = {line("sum += value()"), line("return list(1)")}
        self.assertIn(recursion["line"], calls)
        self.assertLessEqual(calls, {s["line"] for s in said["suspects"][:3]})
        for argument, call, evidence in (("ring", "node->value + total(", "comes back to the same every 2 times"),
                                         ("5", "forever(same) / same", "None of its arguments changes")):
            said, line = self.subject("deep_nesting", arguments=[argument])
            recursion, = [f for f in said["findings"] if f["kind"] == "endless-recursion"]
            self.assertEqual(recursion["line"], line(call))
            self.assertIn(line(call), [s["line"] for s in said["suspects"][:2]])
            self.assertIn(evidence, recursion["evidence"])

    def test_what_helps_an_endless_run_a_little_does_not_end_the_search(self):
        said, line = self.subject("slow_after_loop", "begins\nends\n", options=["--timeout", "1"])
        self.assertIn(line("last < 0 ||"), self.proved(said, "critical-branch"))

    def test_what_a_loop_waits_for_is_told(self):
        said, line = self.subject("never_left", options=["--timeout", "1"])
        exit, = [f for f in said["findings"] if f["kind"] == "loop-exit"]
        self.assertEqual(exit["line"], line("while (!done)"))
        self.assertIn("done", exit["evidence"])
        self.assertIn("Nothing of that changes while the loop turns", exit["evidence"])
        said, line = self.subject("never_left", options=["--timeout", "1"], arguments=["1"])
        exit, = [f for f in said["findings"] if f["kind"] == "loop-exit"]
        self.assertIn(f"at (0; written again each turn, at line {line('at += step')} in walk)", exit["evidence"])
        self.assertLessEqual({line("at += step"), line("return step / 2")}, {s["line"] for s in said["suspects"][:5]})

    def test_what_goes_past_the_write_that_a_loop_waits_for_is_told(self):
        said, line = self.subject("goes_past", options=["--timeout", "1"])
        exit, = [f for f in said["findings"] if f["kind"] == "loop-exit"]
        self.assertIn(f"done would be written at line {line('done = 1')} in main, but the branch at line {line('// goes past')} "
                      "in main goes past it", exit["evidence"])
        suspects = [s["line"] for s in said["suspects"]]
        self.assertIn(line("// goes past"), suspects[:3])
        # What that branch tests came from far away.
        self.assertIn(line("// wrong"), suspects)
        said, line = self.subject("never_left", options=["--timeout", "1"])
        self.assertIn(line("if (text[0]"), [s["line"] for s in said["suspects"][:3]])

    def test_null_is_nothing_bad_where_a_loop_waits(self):
        said, line = self.subject("waits_for_item", options=["--timeout", "1"])
        self.assertEqual([s for s in said["suspects"] if "null where" in s["why"]], [])
        self.assertIn(line("// goes past"), [s["line"] for s in said["suspects"][:2]])

    def test_of_many_writes_the_one_is_told_that_the_loop_came_nearest_to(self):
        said, line = self.subject("stands_still", options=["--timeout", "1"])
        self.assertIn(line("// goes past"), [s["line"] for s in said["suspects"][:3]])
        # By the case that returns the loop could be left, too; what the compiler made of leaving its scope is no exit.
        exits = {f["line"] for f in said["findings"] if f["kind"] == "loop-exit"}
        self.assertEqual(exits, {line("while (at < end)"), line("switch (byte)")})

    def test_a_write_to_another_variable_is_not_what_a_loop_waits_for(self):
        said, line = self.subject("waits_for_another", options=["--timeout", "1"])
        exit, = [f for f in said["findings"] if f["kind"] == "loop-exit"]
        self.assertIn("margin (", exit["evidence"])
        self.assertNotIn("would be written", exit["evidence"])
        self.assertNotIn(line("// another"), [s["line"] for s in said["suspects"] if "goes past" in s["why"]])

    def test_code_without_lines_is_told_by_the_nearest(self):
        # Seven lines are generated; those of a function that has none come last.
        said, line = self.subject("generated_lines")
        self.assertEqual([f["function"] for f in said["findings"] if f["line"] == 0 and f["function"] != "skip"], [])
        places = [f["line"] for f in said["findings"]]
        self.assertEqual(places, sorted(places, key=lambda each: each == 0))

    def test_a_condition_without_a_line_can_go_past_a_write(self):
        said, line = self.subject("generated_condition", expected="5\n")
        findings = [f for f in said["findings"] if f["kind"] == "critical-branch"]
        self.assertEqual({(f["function"], f["proved"]) for f in findings}, {("choose", True)})

    def test_who_forgot_what_is_expected_is_told_at_once(self):
        self.compile(SOURCE / "tests/why/wrong_total.c")
        run = subprocess.run([BIN / "culprit", "why", "--", "./prog"], cwd=self.folder, env=self.environment,
                             capture_output=True, text=True)
        self.assertEqual(run.returncode, 1)
        self.assertIn("why: The program did not fail when it was run as it is.", run.stderr)
        self.assertIn("culprit why --expect", run.stdout)

    def test_what_a_killed_process_left_is_removed(self):
        self.compile(SOURCE / "tests/why/wrong_total.c")
        dead = subprocess.Popen(["true"])
        dead.wait()
        left, others = self.folder / f"culprit-why.{dead.pid}.0", self.folder / f"culprit-why.{os.getpid()}.0"
        for each in (left, others):
            (each / "trace").mkdir(parents=True)
        self.environment["TMPDIR"] = str(self.folder)
        self.why("--expect-cmd", "echo total 10", "--", "./prog")
        self.assertEqual((left.exists(), others.exists()), (False, True))

    def test_a_loop_without_end_is_found(self):
        said, line = self.subject("endless", options=["--timeout", "1"])
        self.assertEqual(said["failure"]["kind"], "hang")
        self.assertIn(said["failure"]["line"], (line("while (at"), line("at = at + step")))
        self.assertEqual([f["line"] for f in said["findings"] if f["kind"] == "endless-loop"], [line("while (at")])
        self.assertIn(line("while (at"), self.proved(said, "critical-branch"))

    def test_a_hang_is_at_the_outermost_loop_that_still_turns(self):
        said, line = self.subject("endless_outside", options=["--timeout", "1"])
        loop = line("while (left")
        self.assertEqual([f["line"] for f in said["findings"] if f["kind"] == "endless-loop"], [loop])
        self.assertEqual((said["failure"]["kind"], said["failure"]["line"], said["failure"]["function"]), ("hang", loop, "main"))

    def test_a_wrong_output_is_where_it_was_decided_to_write_it(self):
        # What only hands a text on, without looking at it, is passed over.
        said, line = self.subject("handed_on", "[12] no!\n")
        self.assertEqual(said["failure"]["line"], line("put_text(stream, text)"))
        said, line = self.subject("handed_on", "[21] yes\n", arguments=["yes"])
        self.assertEqual(said["failure"]["line"], line("if (answer[0]"))

    def test_a_run_that_ends_late_when_a_branch_of_an_endless_loop_is_switched(self):
        said, line = self.subject("endless_late", options=["--timeout", "1", "--budget", "40"])
        self.assertEqual(said["failure"]["kind"], "hang")
        self.assertEqual(set(self.proved(said, "critical-branch")), {line("while (left"), line("// wrong")})

    def test_the_exits_of_an_endless_loop_that_is_entered_late_are_examined(self):
        said, line = self.subject("endless_later", options=["--timeout", "2"])
        found = [f["evidence"] for f in said["findings"] if f["kind"] == "loop-exit" and f["line"] == line("while (left")]
        self.assertEqual(len(found), 1)
        self.assertIn(f'written again each turn, at line {line("while (left")} in main', found[0])
        suspects = {s["line"]: s["rank"] for s in said["suspects"]}
        self.assertLessEqual(suspects[line("const unsigned step =")], 4)

    def test_a_run_that_succeeds_is_no_failure(self):
        self.compile(SOURCE / "tests/why/wrong_total.c")
        self.assertIsNone(self.why("--", "./prog", status=1)["failure"])

    def test_runs_that_end_differently_are_compared(self):
        said, line = self.subject("sometimes", options=["--tries", "400"])
        self.assertEqual(said["failure"]["kind"], "abort")
        self.assertRegex(said["failure"]["message"], r"^In \d+ of \d+ runs: ")
        self.assertEqual([(f["line"], f["proved"]) for f in said["findings"] if f["kind"] == "intermittent-branch"],
                         [(line("if (is_late("), False)])
        self.assertEqual(said["suspects"][0]["line"], line("if (is_late("))
        # One failing run was recorded, and its replays altered.
        self.assertEqual(self.proved(said, "critical-branch"), [line("if (is_late(")])

    def test_all_is_done_to_one_run(self):
        # Traced, observed and altered are replays of one recording, though no two runs of the program are the same.
        said, line = self.subject("another_each_time")
        self.assertEqual(said["failure"]["kind"], "null-dereference")
        self.assertEqual([f["line"] for f in said["findings"] if f["kind"] == "value-origin"], [line("return NULL")])
        self.assertIn(line("if (key > 3)"), self.proved(said, "critical-branch"))
        self.assertEqual([limit for limit in said["limits"] if "tracing" in limit or "depended" in limit], [])

    def test_a_recording_is_explained(self):
        self.compile(SOURCE / "tests/why/another_each_time.c")
        recording = self.folder / "late.rec"
        subprocess.run([BIN / "culprit", "record", "-o", recording, "--", "./prog"], cwd=self.folder,
                       env=self.environment, check=True, capture_output=True)
        said = self.why(str(recording))
        self.assertEqual(said["failure"]["kind"], "null-dereference")
        lines = self.lines_of(SOURCE / "tests/why/another_each_time.c", "if (key > 3)")
        switched = subprocess.run([BIN / "culprit", "switch", "--at", f"another_each_time.c:{lines[0]}#1", recording],
                                  cwd=self.folder, env=self.environment, capture_output=True, text=True)
        self.assertIn("ended with exit status 0 (without: by a signal", switched.stderr)
        self.assertLessEqual(set(lines), set(self.proved(said, "critical-branch")))

    def test_a_switched_run_reads_on_in_its_input(self):
        # The failing run reads a part of its file only; what a switched run needs of the rest is still there.
        (self.folder / "input").write_text("".join(f"line {n}\n" for n in range(5000)))
        said, line = self.subject("stops_reading", expected="5000 lines\n", arguments=["input"])
        self.assertIn(line("if (lines == 7)"), self.proved(said, "critical-branch"))

    def test_a_text_that_ends_too_early_is_wrong_where_it_is_written(self):
        # "1" instead of "12": the next byte, a line's end written elsewhere, is not at fault.
        said, line = self.subject("too_short", expected="sum: 12\n")
        self.assertEqual(said["failure"]["kind"], "wrong-output")
        self.assertEqual(said["failure"]["line"], line("fputs(text, stdout)"))

    def test_a_wrong_byte_is_followed_to_where_it_was_made(self):
        said, line = self.subject("wrong_byte", expected="a1b2c3\n")
        self.assertEqual(said["failure"]["line"], line("fputs(line"))
        self.assertEqual([f["line"] for f in said["findings"] if f["kind"] == "value-origin"],
                         [line("'0' + digit")])

    def test_a_byte_is_followed_through_a_block_that_grows(self):
        expected = ("abcdefghijklmnopqrstuvwxyz" * 3)[:60] + "\n"
        for arguments in ([], ["moved"]):
            said, line = self.subject("grown_buffer", expected=expected, arguments=arguments)
            self.assertEqual([f["line"] for f in said["findings"] if f["kind"] == "value-origin"], [line("return '_'")])
            self.assertEqual(said["failure"]["origin"]["line"], line("return '_'"))

    def test_the_execution_that_a_wrong_byte_depended_on_is_switched(self):
        expected = "a text " + "0123456789" * 16 + "\n"
        said, line = self.subject("early_in_loop", expected=expected)
        self.assertEqual(self.proved(said, "critical-branch"), [line("if (is_mark("), line("return byte ==")])
        self.assertEqual({s["line"] for s in said["suspects"][:2]}, {line("if (is_mark("), line("return byte ==")})

    def test_a_text_that_the_source_holds_is_followed_to_where_it_was_chosen(self):
        for way, expected in (("fputs", "warm"), ("printf", "it is warm\n"), ("fwrite", "warm"),
                              ("memcpy", "warm\n"), ("strcpy", "warm\n"), ("strdup", "warm\n"), ("strcat", "it is warm\n"),
                              ("snprintf", "it is warm\n"), ("vsnprintf", "it is warm\n")):
            said, line = self.subject("chosen_text", expected=expected, arguments=[way])
            self.assertEqual([f["line"] for f in said["findings"] if f["kind"] == "value-origin"], [line('return "cool"')], way)
            self.assertEqual(said["failure"]["origin"]["line"], line('return "cool"'), way)
            self.assertEqual(said["failure"]["origin"]["how"], "constant", way)
            self.assertNotIn("formatted", [step["how"] for step in said["failure"]["path"]], way)
        # What the format itself says was chosen by nobody.
        said, line = self.subject("chosen_text", expected="it is cool\n", arguments=["literal"])
        self.assertEqual(said["failure"]["origin"]["line"], line("it's"))

    def test_the_calls_by_which_a_wrong_count_was_made_are_suspected(self):
        said, line = self.subject("counts_too_few", expected="6 struck out\n")
        made = {s["line"]: s["why"] for s in said["suspects"][:5]}
        self.assertIn("by this call the value was made", made.get(line("// and not the second"), ""))

    def test_a_function_that_put_out_a_wrong_number_is_not_what_is_wrong(self):
        said, line = self.subject("called_printer", expected="150\n")
        self.assertEqual([f["line"] for f in said["findings"] if f["kind"] == "value-origin"], [line("return 100")])

    def test_a_program_that_gives_up_did_so_because_of_a_value(self):
        said, line = self.subject("gives_up")
        self.assertEqual(said["failure"]["kind"], "abort")
        self.assertIn("because of which the program gave up",
                      {s["line"]: s["why"] for s in said["suspects"]}.get(line("kinds[i] = i + 4"), ""))

    def test_an_exception_that_nobody_caught_comes_from_what_was_tested_before_it_was_thrown(self):
        said, line = self.subject("throws", ending="cc")
        self.assertEqual(said["failure"]["kind"], "uncaught-exception")
        self.assertEqual(said["failure"]["line"], line("throw std::runtime_error"))
        self.assertEqual(said["failure"]["origin"]["line"], line("token.kind = c =="))
        self.assertEqual(said["failure"]["origin"]["how"], "computed")
        self.assertEqual([f["line"] for f in said["findings"] if f["kind"] == "value-origin"], [line("token.kind = c ==")])
        self.assertIn(line("token.kind = c =="), [suspect["line"] for suspect in said["suspects"][:3]])

    def test_a_switch_without_a_case_for_its_value_is_suspected_with_the_cases_it_has(self):
        said, line = self.subject("unhandled_case")
        suspects = {s["line"]: (s["rank"], s["why"]) for s in said["suspects"]}
        self.assertLessEqual(suspects[line("switch (operation)")][0], 2)
        self.assertIn("no case for the value", suspects[line("switch (operation)")][1])
        self.assertIn(line("result = !value"), [s["line"] for s in said["suspects"][:4]])

    def test_what_a_function_demands_its_caller_is_blamed_for(self):
        # take_twice calls it whenever it is called itself: the nearest that chose to call is sum.
        said, line = self.subject("broken_contract")
        self.assertEqual(said["failure"]["kind"], "assertion")
        self.assertEqual(said["failure"]["line"], line("assert(!is_empty())"))
        blamed = {s["line"]: (s["rank"], s["why"]) for s in said["suspects"]}[line("total += take_twice()")]
        self.assertLessEqual(blamed[0], 3)
        self.assertIn("demands", blamed[1])

    def test_a_wrong_number_is_followed_through_the_function_that_prints_it(self):
        said, line = self.subject("printed_number", expected="2\n")
        # What prints it is nearer; that is two lines, not all.
        self.assertIn(line("return part - text"), [s["line"] for s in said["suspects"][:5]])
        self.assertEqual((said["failure"]["origin"]["line"], said["failure"]["origin"]["how"]),
                         (line("return part - text"), "computed"))
        self.assertEqual([step["line"] for step in said["failure"]["path"] if step["how"] == "formatted"],
                         [line("digits[count++] = (char)")])

    def test_a_wrong_number_is_followed_through_what_hands_it_on(self):
        said, line = self.subject("passed_on", expected="3\n")
        self.assertEqual(said["failure"]["line"], line("puts(text)"))
        self.assertEqual((said["failure"]["origin"]["line"], said["failure"]["origin"]["how"]),
                         (line("return one + other"), "computed"))
        path = [step["line"] for step in said["failure"]["path"]]
        # From the last to the first: text, table, stack, table.
        self.assertEqual([each for each in path if each in (line("snprintf"), line("put(to)"), line("fetch(from)"))],
                         [line("snprintf"), line("put(to)"), line("fetch(from)")])
        self.assertEqual([step["line"] for step in said["failure"]["path"] if step["how"] == "formatted"], [line("snprintf")])

    def test_an_output_is_wrong_where_it_is_put_into_its_stream(self):
        # And not where the stream's buffer is emptied, at the end.
        for name, ending, text in (("own_buffer", "c", 'printf("total'), ("unsynced", "cc", 'out << "total')):
            said, line = self.subject(name, expected="total 10\n.\n.\n", ending=ending)
            put = line(text)
            self.assertEqual([(each["line"], each["function"].split("(")[0]) for each in said["activations"]][:2],
                             [(put, "show"), (line("show(", last=True), "main")])
            self.assertEqual(said["failure"]["line"], put)

    def route(self, said, line):
        """Of the finding at a line: lines and how each follows from the one before."""
        route = next(finding["route"] for finding in said["findings"] if finding["line"] == line)
        return [(step["line"], step["how"]) for step in route]

    def test_a_decision_is_followed_to_the_failure(self):
        said, line = self.subject("far_decision", expected="." * 20 + "total 238\n")
        self.assertEqual(said["version"], 5)
        self.assertEqual(self.route(said, line('if (strcmp(')),
                         [(line("if (strcmp("), "start"), (line("rate = 7"), "executed"), (line("return rate"), "passed"),
                          (line("set_rate(&order, rate_of"), "passed"), (line("int total"), "passed"), (line("int tax = "), "computed"),
                          (line("return tax / 100"), "computed"), (line("int total"), "computed"),
                          (line('printf("total'), "passed")])

    def test_what_a_branch_kept_from_being_written_is_followed_to_the_failure(self):
        for kind, branch, write in (("heap", "if (amount > 10)", "item->discount = percent"), ("local", "argc > 9", "local = 5")):
            said, line = self.subject("left_out", expected="pay 95\n", arguments=[kind])
            self.assertEqual(self.route(said, line(branch)),
                             [(line(branch), "start"), (line(write), "left-out"), (line('printf("pay'), "kept")])
        said, line = self.subject("left_out", expected="pay 95\n", arguments=["global"])
        left_out = [(line("discount = 5;"), "left-out"), (line('printf("pay'), "kept")]
        self.assertEqual(self.route(said, line("if (is_large(")), [(line("if (is_large("), "start"), *left_out])
        # One that decides only about the other.
        self.assertEqual(self.route(said, line("if (amount > 11)")),
                         [(line("if (amount > 11)"), "start"), (line("return 0;"), "executed"), (line("return 0;") + 1, "passed"),
                          (line("if (is_large("), "computed"), *left_out])

    def test_it_says_so_where_no_dependence_leads_to_the_failure(self):
        # Who would have been called, a pointer in memory says.
        said, line = self.subject("left_out", expected="pay 95\n", arguments=["pointer"])
        found = [f for f in said["findings"] if f["line"] == line("if (amount > 20)")]
        self.assertEqual((found[0]["proved"], found[0]["route"]), (True, []))

    def test_what_a_child_puts_out_is_followed_to_who_gave_it(self):
        for start, arguments, total in (("posix_spawnp(&child", [], 10), ("system(line)", ["shell"], 11)):
            said, line = self.subject("child_writes", expected=f"total {total}\n", arguments=arguments)
            self.assertEqual(said["failure"]["line"], line(start))
            self.assertIn("put out by a process that the program started: echo", said["failure"]["message"])
            self.assertEqual((said["failure"]["origin"]["line"], said["failure"]["origin"]["how"]),
                             (line("return one + other"), "computed"))
            self.assertIn(line('"total %d"'), [step["line"] for step in said["failure"]["path"] if step["how"] == "formatted"])

    def test_of_a_child_that_crashed_its_own_run_is_explained(self):
        source = SOURCE / "tests/why/child_crashes.c"
        program = self.compile(source)
        for arguments in (["all", "foo"], ["-k", "all", "foo"]):  # with the latter the program itself ends well
            said = self.why("--", program, *arguments)
            failure = said["failure"]
            self.assertEqual((failure["kind"], [failure["line"]]),
                             ("null-dereference", self.lines_of(source, "// crash")))
            self.assertEqual([failure["origin"]["line"]], self.lines_of(source, "// origin"))
            self.assertIn("A process that the program forked failed", failure["message"])
            self.assertIn("culprit info recording", said["next_steps"][0])

    def test_of_what_fails_in_a_plugin_nothing_is_said_to_be_bad(self):
        source = SOURCE / "tests/why/uses_plugin.c"
        program = self.compile(source)
        plugin = self.folder / "plugin.so"
        subprocess.run([BIN / "culprit-cc", "-O1", "-DPLUGIN", "-fPIC", "-shared", "-o", plugin, source], check=True)
        failure = self.why("--", program, plugin)["failure"]
        self.assertEqual([failure["line"]], self.lines_of(source, "// calls"))
        self.assertIn("in plugin.so", failure["message"])
        self.assertIsNone(failure.get("origin"))

    def test_what_was_read_from_the_input_was_made_by_nothing(self):
        (self.folder / "good.txt").write_text("B\n")
        source = SOURCE / "tests/why/echoes.c"
        self.compile(source)
        (self.folder / "in.txt").write_text("b\n")
        with open(self.folder / "in.txt") as stdin:
            said = self.why("--expect", "good.txt", "--", "./prog", stdin=stdin)
        read = self.lines_of(source, "fgets(line")[0]
        origin = [f for f in said["findings"] if f["kind"] == "value-origin"][0]
        self.assertEqual(origin["line"], read)
        self.assertIn("was read here", origin["evidence"])
        self.assertEqual((said["failure"]["origin"]["line"], said["failure"]["origin"]["how"]), (read, "input"))
        self.assertEqual([s["line"] for s in said["suspects"][:2]],
                         self.lines_of(source, "if (is_to_change(") + self.lines_of(source, "letter >= 'A'"))

    def test_a_pointer_that_was_followed_before_is_not_the_bad_one(self):
        said, line = self.subject("second_pointer")
        self.assertEqual(said["failure"]["kind"], "null-dereference")
        self.assertEqual([f["line"] for f in said["findings"] if f["kind"] == "value-origin"], [line("return NULL")])

    def test_of_an_object_that_was_accessed_before_the_index_is_the_bad_value(self):
        (self.folder / "numbers.txt").write_text("3 5 300000000\n")
        said, line = self.subject("wild_index", arguments=["numbers.txt"])
        self.assertEqual(said["failure"]["line"], line("*entry("))
        self.assertEqual((said["failure"]["origin"]["line"], said["failure"]["origin"]["how"]), (line("fscanf("), "input"))
        used, = [s for s in said["suspects"][:2] if s["line"] == line("*entry(")]
        self.assertIn("it uses what was read from the input", used["why"])
        self.assertEqual([s["why"] for s in said["suspects"] if "let it pass" in s["why"]], [])

    def test_who_was_given_a_null_pointer_and_gives_it_to_others_is_suspected(self):
        said, line = self.subject("gives_null")
        self.assertEqual(said["failure"]["kind"], "null-dereference")
        given = {s["line"]: s["why"] for s in said["suspects"][:3]}
        self.assertIn("is given to it by this call", given.get(line("// gives it"), ""))

    def test_a_race_is_recorded_under_another_schedule(self):
        said, line = self.subject("lost_update")
        self.assertEqual(said["failure"]["kind"], "abort")
        self.assertEqual([limit for limit in said["limits"] if "recording" in limit or "altering runs" in limit], [])
        self.assertIn(line("if (counter != 2000)"), self.proved(said, "critical-branch"))
        self.assertEqual(said["findings"][0]["kind"], "data-race")
        self.assertIn("`counter`", said["findings"][0]["evidence"])
        self.assertIn(line("counter = slowly"), [s["line"] for s in said["suspects"][:2]])

    def test_branches_of_all_threads_are_switched_and_altered_runs_have_threads(self):
        said, line = self.subject("worker_fails", "17 letters\n", arguments=["crash"])
        cut, missing = line("kJobs - 1 ? length : 5"), line("return NULL;")
        self.assertEqual((said["failure"]["kind"], said["failure"]["line"]), ("null-dereference", line("text[i] != ' '")))
        self.assertEqual((said["failure"]["origin"]["line"], said["failure"]["origin"]["how"]), (missing, "constant"))
        self.assertEqual([limit for limit in said["limits"] if "threads" in limit or "trace" in limit], [])
        # Before there is a second thread; it takes two that run to the end to print the sum.
        repairs = [f for f in said["findings"] if f["kind"] == "critical-branch" and "do what is expected" in f["evidence"]]
        self.assertEqual([(f["line"], f["proved"]) for f in repairs], [(cut, True)])
        self.assertIn(cut, [s["line"] for s in said["suspects"][:3]])

    def test_a_worker_ends_the_program(self):
        said, line = self.subject("worker_fails", arguments=["exit"])
        self.assertEqual((said["failure"]["kind"], said["failure"]["line"]), ("exit-status", line("exit(3);")))
        # In a worker.
        self.assertIn(line("return NULL;"), self.proved(said, "critical-branch"))
        self.assertIn(line("kJobs - 1 ? length : 5"), self.proved(said, "critical-branch"))
        self.assertIn(line("return NULL;"), [s["line"] for s in said["suspects"][:2]])

    def test_what_comes_after_a_wait_depends_on_what_was_waited_for(self):
        said, line = self.subject("told_to_end", arguments=["30", "40", "50"])
        self.assertEqual((said["failure"]["kind"], said["failure"]["line"]), ("exit-status", line("exit(1);")))
        test = line("number > limit_of")
        found = [f for f in said["findings"] if f["line"] == test and f["proved"]][0]
        steps = [step["line"] for step in found["route"]]
        self.assertIn(line("*flag = 1;"), steps)
        self.assertIn(line("pthread_cond_wait"), steps)
        self.assertIn(test, [s["line"] for s in said["suspects"][:5]])

    def test_a_setting_is_not_why_something_is_said(self):
        said, line = self.subject("says_unless_quiet", arguments=["[[a]"])
        self.assertEqual((said["failure"]["kind"], said["failure"]["line"]), ("exit-status", line("// says")))
        self.assertNotEqual(said["failure"]["origin"]["line"], line("// setting"))
        self.assertNotIn(line("// setting"), [suspect["line"] for suspect in said["suspects"][:3]])

    def test_the_block_behind_an_access_is_not_too_small(self):
        said, line = self.subject("reads_before", arguments=["  "])
        said_of = {suspect["line"]: suspect["why"] for suspect in said["suspects"]}
        self.assertEqual(said["suspects"][0]["line"], line("// reads"))
        self.assertEqual(said_of[line("// allocates")], "the block that begins behind it is allocated here")

    def test_a_use_of_freed_memory_shows_where_it_was_given_out_again(self):
        said, line = self.subject("given_out_again", expected="1 2 4 \n")
        self.assertLessEqual({("use-after-free", line("// uses")), ("freed-here", line("// removes"))}, self.kinds(said))
        self.assertEqual({suspect["line"] for suspect in said["suspects"][:2]}, {line("// uses"), line("// removes")})

    def evidence_of(self, said, kind):
        return [(finding["line"], finding["evidence"]) for finding in said["findings"] if finding["kind"] == kind]

    def test_of_threads_that_wait_for_each_other_it_is_told_who_holds_what(self):
        said, line = self.subject("locks_in_circle")
        wanted, held = line("pthread_mutex_lock(&to->lock)"), line("pthread_mutex_lock(&from->lock)")
        self.assertEqual((said["failure"]["kind"], said["failure"]["line"]), ("deadlock", wanted))
        waits = self.evidence_of(said, "waits-for-lock")
        self.assertEqual({at for at, _ in waits}, {wanted})
        self.assertIn("Thread 0 waits here for a lock that thread 1 holds.", waits[0][1])
        self.assertIn("Thread 1 waits here for a lock that thread 0 holds.", waits[1][1])
        self.assertIn(f"line {line('// back')} in back", waits[1][1])
        self.assertEqual([at for at, _ in self.evidence_of(said, "lock-held")], [held, held])
        self.assertEqual({suspect["line"] for suspect in said["suspects"][:2]}, {wanted, held})

    def test_of_a_lock_that_is_not_given_back_what_went_past_that_is_told(self):
        said, line = self.subject("keeps_lock", arguments=["3", "-4", "5"])
        self.assertEqual((said["failure"]["kind"], said["failure"]["line"]), ("deadlock", line("// takes")))
        (_, waits), = self.evidence_of(said, "waits-for-lock")
        self.assertIn("that it holds itself", waits)
        (at, held), = self.evidence_of(said, "lock-held")
        self.assertEqual(at, line("// takes"))
        self.assertIn(f"The branch at line {line('// goes past')} in add went past line", held)
        self.assertIn(line("// goes past"), [suspect["line"] for suspect in said["suspects"][:2]])

        said, line = self.subject("keeps_lock", arguments=["worker", "3", "-4"])
        self.assertEqual((said["failure"]["kind"], said["failure"]["line"]), ("deadlock", line("// last")))
        (_, waits), = self.evidence_of(said, "waits-for-lock")
        self.assertIn("that thread 1 holds, which has ended", waits)
        self.assertEqual({suspect["line"] for suspect in said["suspects"][:2]}, {line("// takes"), line("// goes past")})

    def test_of_a_wake_up_that_does_not_come_what_was_waited_for_is_told(self):
        said, line = self.subject("wakes_nobody", arguments=["7"], ending="cc")
        # What wraps a condition does not say what for.
        self.assertEqual((said["failure"]["kind"], said["failure"]["line"]), ("deadlock", line("// waits")))
        (_, waits), = self.evidence_of(said, "waits-for-wake-up")
        self.assertIn("Nobody was ever woken there.", waits)
        writes = dict(self.evidence_of(said, "no-wake-up"))
        self.assertEqual(set(writes), {line("// pushes"), line("// closes")})
        self.assertIn(f"The branch at line {line('// goes past')}", writes[line("// pushes")])
        self.assertLessEqual({suspect["line"] for suspect in said["suspects"][:3]},
                             {line("// goes past"), line("// closes"), line("// pushes"), line("// waits")})

    def test_a_recording_of_a_deadlock_is_explained(self):
        self.compile(SOURCE / "tests/why/keeps_lock.c")
        subprocess.run([BIN / "culprit", "record", "--chaos", "-o", "recording", "--", "./prog", "-4", "5"], check=True,
                       cwd=self.folder, env=self.environment, capture_output=True, stdin=subprocess.DEVNULL)
        said = self.why(str(self.folder / "recording"))
        self.assertEqual(said["failure"]["kind"], "deadlock")
        self.assertNotEqual(self.evidence_of(said, "lock-held"), [])

    def test_what_failed_in_a_worker_is_got_past(self):
        said, line = self.subject("worker_fails", arguments=["crash"])
        passing = [f["line"] for f in said["findings"] if f["kind"] == "critical-branch" and "go well" in f["evidence"]]
        self.assertEqual(sorted(set(passing)), [line("return NULL;"), line("kJobs - 1 ? length : 5")])

    def test_a_schedule_is_looked_for_when_no_run_fails(self):
        # The thread that sets the width has long enough for it, unless it never gets its turn.
        source = SOURCE / "tests/why/late_start.c"
        self.compile(source)
        (self.folder / "good.txt").write_text("[=====]\n3 items\n")
        for option in (("--expect", "good.txt"), ("--fails-if", "! grep -q ==")):
            said = self.why(*option, "--", "./prog")
            self.assertIn("under random schedules", said["failure"]["message"])
            race = said["findings"][0]
            self.assertEqual((race["kind"], race["line"]), ("data-race", self.lines_of(source, "width = 5")[0]))
            self.assertIn("`width`", race["evidence"])
            self.assertEqual(said["suspects"][0]["line"], self.lines_of(source, "width = 5")[0])

    def test_a_function_that_only_sounds_like_an_allocator_fails_itself(self):
        source = SOURCE / "tests/why/allocates_rows.c"
        self.compile(source)
        said = self.why("--", "./prog")
        self.assertEqual(said["failure"]["function"], "allocate_rows")
        self.assertEqual([said["failure"]["line"]], self.lines_of(source, "[row][0] = row;"))
        self.assertIn(said["failure"]["line"] - 3, [suspect["line"] for suspect in said["suspects"][:3]])

    def test_what_a_handler_says_of_the_stack_is_no_other_run(self):
        said, line = self.subject("says_where")
        self.assertEqual((said["failure"]["kind"], said["failure"]["line"]), ("null-dereference", line("// crash")))
        self.assertEqual(said["failure"]["origin"]["line"], line("{3, NULL}"))
        self.assertNotIn("recording", " ".join(said["limits"]))

    def test_a_string_that_the_library_cannot_read(self):
        said, line = self.subject("joins_number")
        self.assertEqual(said["failure"]["line"], line("// crash"))
        self.assertEqual(said["failure"]["origin"]["line"], line("// origin"))

    def test_a_freed_block_holds_what_free_left(self):
        said, line = self.subject("left_by_free")
        self.assertEqual(said["failure"]["line"], line("// crash"))
        self.assertEqual(said["failure"]["origin"]["line"], line("// origin"))
        self.assertIn(line("of->peer;"), self.proved(said, "use-after-free"))

    def test_of_what_the_library_finds_by_good_pointers_no_value_is_blamed(self):
        said, line = self.subject("splices_freed", ending="cc")
        self.assertEqual(said["failure"]["line"], line("// crash"))
        self.assertIsNone(said["failure"]["origin"])
        self.assertIn(line("// crash"), self.proved(said, "use-after-free"))

    def test_a_good_format_is_not_blamed_for_what_is_in_the_list(self):
        said, line = self.subject("logs_number")
        self.assertEqual(said["failure"]["line"], line("// crash"))
        self.assertIsNone(said["failure"]["origin"])
        self.assertIn(line("// wrong"), [suspect["line"] for suspect in said["suspects"][:5]])

    def test_what_the_library_was_told_made_its_result(self):
        said, line = self.subject("orders_wrongly", "note\nphoto\nfilm\ndisk\n")
        self.assertEqual(said["failure"]["origin"]["line"], line("qsort(files"))
        self.assertIn(line("// loses"), [suspect["line"] for suspect in said["suspects"][:2]])

    def test_sarif_is_what_its_specification_says(self):
        self.compile(SOURCE / "examples/orders/orders.c")
        shutil.copy(SOURCE / "examples/orders/orders.txt", self.folder)
        self.why("--sarif", "why.sarif", "--", "./prog", "orders.txt")
        log = json.loads((self.folder / "why.sarif").read_text())
        self.assertEqual(sarif.faults(log), [])
        self.assertGreater(len(log["runs"][0]["results"]), 3)
        # The checks do find something.
        result = log["runs"][0]["results"][0]
        result["relatedLocations"][1]["id"] = 0
        self.assertEqual(len(sarif.faults(log)), 1)
        result["ruleId"] = "unheard-of"
        self.assertEqual(len(sarif.faults(log)), 2)
        del result["message"]
        log["runs"][0]["results"][1]["level"] = "bad"
        log["runs"][0]["tool"]["driver"]["colour"] = "red"
        self.assertGreaterEqual(len(sarif.faults(log)), 3)

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
