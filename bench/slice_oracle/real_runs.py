"""Runs of Debian's programs for the slice oracle: each is recorded once, and what its statements write is altered in
replays of that recording, by drive-perturbations (tests/locate), which says how it judges.

Criteria are bytes of the output, chosen at random, or that the run crashes where it did.
"""
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "tools"))
from debian_program import ROOT, Failure, Program, load_recipe  # noqa: E402

PACKAGES, CASES = ROOT / "tests/acceptance/packages", ROOT / "bench/cases"
PLAN = 'observed = "registers"\nhooks = "values"\nstart_observed = true\nalterable = true\n'
LIMIT = 1800  # seconds
OUTSIDE, INSIDE, CRITERIA = 14, 6, 5


@dataclasses.dataclass
class Run:
    name: str
    recipe: pathlib.Path
    program: str
    arguments: tuple = ()
    stdin: str = ""
    files: dict = dataclasses.field(default_factory=dict)
    crashes: bool = False


FOX = "The quick brown fox jumps over the lazy dog; the quick brown fox sleeps.\n"
RUNS = [
    Run("bc", PACKAGES / "bc.toml", "bc/bc", stdin="define f(n) {\n if (n < 2) return (1);\n return (n * f(n-1));\n}\nf(6)\nscale=12\n1/7\n2^40\n"),
    Run("sed", PACKAGES / "sed.toml", "sed/sed", ("-E", "s/([a-z]+) ([a-z]+)/\\2 \\1/;y/abc/xyz/"), "first second third\nabc cab\nword\n"),
    Run("gzip", PACKAGES / "gzip.toml", "gzip", ("-c", "-n", "-9"), FOX),
    Run("grep", PACKAGES / "grep.toml", "src/grep", ("-E", "-n", "-o", "(ab|cd)+[0-9]{2,3}"), "abcd12 ab1 cdcdab4567\nnothing\nxxcd99yy\n"),
    Run("lua", PACKAGES / "lua5.4.toml", "src/lua", ("-",),
        "local t = {5, 2, 8, 1} table.sort(t) print(table.concat(t, ','), #t) print(('key=val'):match('(%w+)=(%w+)'), 7 // 2, 2 ^ 10)\n"),
    Run("mujs", PACKAGES / "mujs.toml", "build/release/mujs",
        stdin="function fib(n) { return n < 2 ? n : fib(n-1) + fib(n-2); } print(fib(7), [3,1,2].sort().join(), (255).toString(16));\n"),
    Run("mawk", CASES / "mawk.toml", "mawk", ("{ sum += $2; n[$1]++; print $1, sum } END { print n[\"a\"], length(sum) }",), "a 1\nb 20\na 300\n"),
    Run("bzip2", PACKAGES / "bzip2.toml", "bzip2", ("-c", "-1"), FOX),
    Run("byacc", CASES / "byacc.toml", "yacc", ("-o", "out.c", "in.y"), files={"in.y": "%%\nt : n() ;\n%%\nt : n ;\n"}, crashes=True),
    Run("jimsh", CASES / "jimtcl.toml", "jimsh", ("in.tcl",), files={"in.tcl": "puts [expr {-true}]\n"}, crashes=True),
]


def called(words, folder, environment, stdin="", statuses=(0,)):
    done = subprocess.run(list(map(str, words)), cwd=folder, env=environment, input=stdin.encode(), capture_output=True, timeout=LIMIT, check=False)
    if done.returncode not in statuses:
        raise Failure(f"{pathlib.Path(words[0]).name} {words[1]}: {done.returncode}: {done.stderr.decode(errors='replace')[-400:].strip()}")
    return done.stdout.decode(errors="replace")


def examine_real(run, toolchain, packages, seed):
    """What was counted, and the violations; raises Failure. Packages are built in the folder `packages`, once."""
    binaries = toolchain.culprit.parent
    program = Program(load_recipe(run.recipe), toolchain, packages / run.name)
    program.build_native()
    executable = program.body(run.program, "native")
    environment = dict(os.environ, CULPRIT_CACHE=str(program.directory / "oracle-cache"), LC_ALL="C", TZ="UTC")
    with tempfile.TemporaryDirectory(prefix=f"culprit-oracle-{run.name}-") as name:
        folder = pathlib.Path(name)
        for file, text in run.files.items():
            (folder / file).write_text(text)
        (folder / "plan.toml").write_text(PLAN)
        statuses = (0, 128 + 6, 128 + 11) if run.crashes else (0,)
        called([binaries / "culprit", "record", "-o", "recording", "--", executable, *run.arguments], folder, environment, run.stdin, statuses)
        criteria = [f"output:{CRITERIA}"]
        if run.crashes:
            called([binaries / "culprit", "slice", "recording", "--crash"], folder, environment)
            criteria = [f"crash:{(folder / 'recording/trace/crash').read_text().strip()}"]
        built = json.loads(called([binaries / "culprit", "build", executable, "--plan", "plan.toml", "--json"], folder, environment))
        # A crash is one criterion, so more values are altered for it.
        factor = CRITERIA if run.crashes else 1
        found = json.loads(called([binaries / "drive-perturbations", "recording", built["executable"], built["model"], seed, OUTSIDE * factor,
                                   INSIDE * factor, *criteria], folder, environment))
    for each in found["violations"]:
        each["run"] = run.name
    return found["counts"], found["violations"]
