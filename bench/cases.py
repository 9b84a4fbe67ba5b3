#!/usr/bin/env python3
"""Real failures of Debian's programs, explained by `culprit why` and compared with what is known of them.

Each folder of --cases holds a case.json: the package, the failing command, the kind of failure, where it shows and
where its root cause is. The package is built with culprit-cc by the recipe cases/PACKAGE.toml beside this file; the
recipe's table [expect] has the output of a good run where the case gives it only in words, and
[fails_if] a command that says of a run what the case says in words. A case that expects an
output is run with --expect, as its user would do, every other one without.

The failure point of a case counts as right when `why` names it, and the table says as what: "write", the failure's own
place; "origin", where the wrong value was made; "chain N/M", step N of M on its way; "frame N/M", an active call at the
failure; "route N/M", step N of M on the way from one of the first three findings to the failure. The line of points counts
each.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import shlex
import shutil
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
from debian_program import ROOT, Failure, Program, culprit_toolchain, load_recipe  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
WHY_LIMIT = 120  # seconds
MOST_FRAMES = 8  # active calls that the text of `why` shows

# Words of `why` that are right for a case whose description has one of the words on the left; the first that fits.
KINDS = (
    ("detected by malloc", {"heap-corruption", "double-free"}),
    ("null pointer", {"null-dereference"}),
    ("sigfpe", {"arithmetic"}),
    ("assertion", {"assertion"}),
    ("exception", {"uncaught-exception"}),
    ("use after free", {"use-after-free", "wrong-output"}),
    ("uninitialised", {"uninitialised", "wrong-output"}),
    ("overflow", {"invalid-access", "wild-pointer", "buffer-overflow", "stack-smashing", "stack-overflow"}),
    ("race", {"race", "non-deterministic", "wrong-output", "predicate"}),
    ("abort", {"abort"}),
    ("hang", {"hang"}),
    ("loop", {"hang"}),
    ("exit status", {"exit-status"}),
    ("sigsegv", {"null-dereference", "invalid-access", "wild-pointer"}),
    ("wrong output", {"wrong-output"}),
)


def right_kinds(case):
    words = f"{case['kind']} {case.get('tags', '')}".lower()
    return next((kinds for word, kinds in KINDS if word in words), set())


def expected_output(case, recipe):
    """Standard output of a good run as far as the case has it literally; None when it is described in words only."""
    if case["name"] in recipe.other.get("expect", {}):
        return recipe.other["expect"][case["name"]]
    if any(actual.get("exit") != 0 for level, actual in case["actual"].items() if level in ("O0", "O1")):
        return None
    good = case["passing_variant"]["result"].get("O1", {}).get("stdout")
    return good if good and case["expected"].startswith(good.strip()) else None


def is_at(place, known):
    """Whether a place of `why` is the line that the case names."""
    return pathlib.Path(place["file"]).name == pathlib.Path(known["file"]).name and place["line"] == known["line"]


def is_near(place, known):
    return pathlib.Path(place["file"]).name == pathlib.Path(known["file"]).name and abs(place["line"] - known["line"]) <= 3


# What `why` builds: executables by whose plans a recording can be replayed.
PLANS = {"recorded": "ticks = true\n",
         "session": 'observed = "homes"\nhooks = "session"\nstart_observed = true\nfast_bodies = true\n',
         "alterable": 'observed = "homes"\nhooks = "session"\nstart_observed = true\nfast_bodies = true\nalterable = true\n',
         "values": 'observed = "registers"\nhooks = "values"\nstart_observed = true\nfast_bodies = true\n'}


def build_plans(culprit, program, work, environment):
    for name, text in PLANS.items():
        plan = work / f"{name}.toml"
        plan.write_text(text)
        built = subprocess.run([culprit, "build", "--plan", plan, program], env=environment, capture_output=True, text=True, check=False)
        if built.returncode != 0:
            raise Failure(f"culprit build failed: {built.stderr[-300:]}")


class Examined:
    """One case: what `why` said of it."""

    def __init__(self, folder):
        self.folder = folder
        self.case = json.loads((folder / "case.json").read_text())
        self.name = self.case["name"]
        self.problem = None
        self.said = None
        self.seconds = 0.0

    def run(self, program, work, culprit, arguments):
        command, environment = set_up(self.folder, self.case, program, work)
        environment["CULPRIT_CACHE"] = str(program.directory / "why-cache")
        expected = expected_output(self.case, program.recipe)
        options = list(arguments)
        fails_if = program.recipe.other.get("fails_if", {}).get(self.name)
        if fails_if is not None:
            options += ["--fails-if", fails_if]
        elif expected is not None:
            (work / "expected-output").write_text(expected)
            options += ["--expect", "expected-output"]
        build_plans(culprit, command[0], work, environment)
        start = time.monotonic()
        try:
            finished = subprocess.run([culprit, "why", "--json", *options, "--", *command], cwd=work,
                                      env=environment, capture_output=True, timeout=WHY_LIMIT, stdin=subprocess.DEVNULL, check=False)
        except subprocess.TimeoutExpired:
            raise Failure(f"culprit why took over {WHY_LIMIT} s") from None
        self.seconds = time.monotonic() - start
        (work / "why.json").write_bytes(finished.stdout)
        if finished.returncode not in (0, 1):
            raise Failure(f"culprit why: status {finished.returncode}: {finished.stderr[-300:].decode(errors='replace')}")
        self.said = json.loads(finished.stdout)

    def failure(self):
        return (self.said or {}).get("failure")

    def kind_ok(self):
        return bool(self.failure()) and self.failure()["kind"] in right_kinds(self.case)

    def point_near(self):
        """As what `why` names a line within three of the failure point, in its function; it does not count as right."""
        return self.point_as(lambda place, known: is_near(place, known) and place["function"] == known["function"])

    def point_as(self, is_there=is_at):
        """As what `why` names the case's failure point: "write" (the failure's own place), "origin" (made the wrong value),
        "chain" with its number and how many there are (a step on the value's way), "frame" with its number (an active call
        when the byte was written), "route" with its number (a step on the way from one of the first three findings to the
        failure); None when it does not."""
        failure, point = self.failure(), self.case["failure_point"]
        if not failure:
            return None
        if is_there(failure, point):
            return "write"
        if failure.get("origin") and is_there(failure["origin"], point):
            return "origin"
        for word, places in (("chain", failure.get("path", [])), ("frame", self.said["activations"][:MOST_FRAMES])):
            for number, place in enumerate(places, 1):
                if is_there(place, point):
                    return f"{word} {number}/{len(places)}"
        for route in [finding["route"] for finding in self.said["findings"] if finding.get("route")][:3]:
            for number, place in enumerate(route, 1):
                if is_there(place, point):
                    return f"route {number}/{len(route)}"
        return None

    def point_ok(self):
        return self.point_as() is not None

    def rank(self, test=is_at):
        """Of the first suspect at the root cause; None when there is none."""
        suspects = (self.said or {}).get("suspects", [])
        return next((suspect["rank"] for suspect in suspects if test(suspect, self.case["root_cause"])), None)

    def summary(self):
        said = self.failure() or {}
        return {"case": self.name, "kind": said.get("kind"), "kind_ok": self.kind_ok(), "point": f"{pathlib.Path(said.get('file', '')).name}:{said.get('line', 0)}",
                "point_as": self.point_as(), "point_near": self.point_near(), "point_ok": self.point_ok(), "path": len(said.get("path", [])), "root_rank": self.rank(), "root_rank_within_3_lines": self.rank(is_near),
                "experiments": (self.said or {}).get("experiments", 0), "seconds": round(self.seconds, 2), "problem": self.problem}


def ends_by_signal(case):
    return any(str(each.get("exit", "")).startswith("signal") for level, each in case["actual"].items() if level in ("O0", "O1"))


def set_up(folder, case, program, work):
    """A copy of the case's folder at `work`, made ready; the failing command, its program by its path, and its environment."""
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(folder, work)
    environment = dict(os.environ, LC_ALL="C", TZ="UTC", **case.get("environment", {}))
    environment["PATH"] = os.pathsep.join(
        [str((program.source / name).parent) for name in program.recipe.programs] + [environment["PATH"]])
    if "prepare" in case:
        subprocess.run(["bash", "-c", case["prepare"]], cwd=work, env=environment, check=True, stdin=subprocess.DEVNULL, capture_output=True)
    name, *words = shlex.split(case["command"])
    paths = [program.source / each for each in program.recipe.programs if pathlib.Path(each).name == name]
    if not paths:
        raise Failure(f"the recipe builds no {name}")
    return [paths[0], *words], environment


def package_programs(examined, directory, toolchain):
    """Builds each package once, the small ones at the same time."""
    programs, problems = {}, {}

    def build(package):
        recipe = load_recipe(HERE / "cases" / f"{package}.toml")
        program = Program(recipe, toolchain, directory / package)
        program.build_native()
        return program

    packages = sorted({each.case["package"] for each in examined})
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        building = {package: pool.submit(build, package) for package in packages}
        for package, future in building.items():
            try:
                programs[package] = future.result()
            except FileNotFoundError:
                problems[package] = f"no recipe bench/cases/{package}.toml"
            except Failure as failure:
                problems[package] = f"{failure}{f' ({failure.log})' if failure.log else ''}"
    return programs, problems


def row(each):
    summary = each.summary()
    mark = {True: "ok", False: "-"}
    rank, near = summary["root_rank"], summary["point_near"]
    named = summary["point_as"] or (f"(near: {near})" if near else "-")
    tops = "/".join("ok" if rank and rank <= top else "-" for top in (1, 3, 10))
    return (f"{each.name:28} {str(summary['kind']):20} {mark[summary['kind_ok']]:4} {summary['point']:22} {named:20} "
            f"{tops:10} {summary['experiments']:>11} {each.seconds:>8.1f}  {each.problem or ''}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=pathlib.Path, default=ROOT.parent / "shared/cases", help="folder of case folders")
    parser.add_argument("--only", action="append", help="name of a case, may be repeated")
    parser.add_argument("--quick", action="store_true", help="the first five cases")
    parser.add_argument("--json", type=pathlib.Path, help="write the results there, too")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", help="Culprit's build directory")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build/cases", help="where packages are built")
    parser.add_argument("why_options", nargs="*", help="further options of culprit why, after --")
    options = parser.parse_args()

    folders = sorted(path.parent for path in options.cases.glob("*/case.json"))
    if not folders:
        parser.error(f"{options.cases} holds no case folders")
    examined = [Examined(folder) for folder in folders]
    if options.only:
        examined = [each for each in examined if each.name in options.only]
    if options.quick:
        examined = examined[:5]

    toolchain = culprit_toolchain(options.build.resolve())
    programs, problems = package_programs(examined, options.work.resolve(), toolchain)
    print(f"{'case':28} {'recognised':20} {'kind':4} {'failure point':22} {'named as':20} {'top1/3/10':10} {'experiments':>11} {'seconds':>8}")
    for each in examined:
        package = each.case["package"]
        try:
            if package in problems:
                raise Failure(problems[package])
            each.run(programs[package], options.work.resolve() / "runs" / each.name, toolchain.culprit, options.why_options)
        except Failure as failure:
            each.problem = str(failure)
        print(row(each), flush=True)

    summaries = [each.summary() for each in examined]
    ranks = [summary["root_rank"] for summary in summaries]
    seconds = [each.seconds for each in examined if each.said] or [0.0]
    top = {count: sum(1 for rank in ranks if rank and rank <= count) for count in (1, 3, 10)}
    named = [(s["point_as"] or "-").split()[0] for s in summaries]
    print("points: " + " ".join(f"{word}={named.count(word)}" for word in ("write", "origin", "chain", "frame", "route", "-")))
    if options.json:
        options.json.write_text(json.dumps({"cases": summaries}, indent=2) + "\n")
    print(f"cases: n={len(examined)} kind_ok={sum(s['kind_ok'] for s in summaries)} point_ok={sum(s['point_ok'] for s in summaries)} "
          f"top1={top[1]} top3={top[3]} top10={top[10]} median_s={statistics.median(seconds):.1f} worst_s={max(seconds):.1f}")
    return 1 if any(each.problem for each in examined) else 0


if __name__ == "__main__":
    sys.exit(main())
