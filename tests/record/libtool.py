#!/usr/bin/env python3
"""Where libtool put a script in the place of a program, the program is recorded: libtool.py CULPRIT_DIRECTORY

Natively compiled it needs the library beside it, which only the script tells."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SCRIPT = """#! /bin/bash
# prog - temporary wrapper script for .libs/prog
    LD_LIBRARY_PATH="{libs}:$LD_LIBRARY_PATH"
    export LD_LIBRARY_PATH
exec "{libs}/prog" "$@"
"""


def run(*words, status=0, **options):
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, **options)
    if done.returncode != status:
        sys.exit(f"{words}: {done.returncode} {done.stderr}")
    return done


def main():
    binaries = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="culprit-libtool-") as folder:
        folder = pathlib.Path(folder)
        (folder / "answer.c").write_text("int answer(void) { return 42; }\n")
        (folder / "prog.c").write_text('#include <stdio.h>\nint answer(void);\n'
                                       'int main(int argc, char **argv) { printf("%d %s\\n", answer(), argc > 1 ? argv[1] : ""); }\n')
        environment = dict(os.environ, CULPRIT_CACHE=str(folder / "cache"))
        environment.pop("LD_LIBRARY_PATH", None)
        for compiler in (binaries / "culprit-cc", "cc"):
            libs = folder / pathlib.Path(compiler).name / ".libs"
            libs.mkdir(parents=True)
            run(compiler, "-g", "-fPIC", "-shared", folder / "answer.c", "-o", libs / "libanswer.so")
            run(compiler, "-g", folder / "prog.c", "-L", libs, "-lanswer", "-o", libs / "prog")
            script = libs.parent / "prog"
            script.write_text(SCRIPT.format(libs=libs))
            script.chmod(0o755)
            directory = libs.parent / "recording"
            done = run(binaries / "culprit", "record", "-o", directory, "--", script, "word", env=environment)
            if done.stdout != "42 word\n":
                sys.exit(f"{compiler}: {done.stdout} {done.stderr}")
            said = json.loads(run(binaries / "culprit", "info", "--json", directory, env=environment).stdout)
            if said["program"] != str(libs / "prog"):
                sys.exit(f"{compiler}: {said}")
            replayed = run(binaries / "culprit", "replay", directory, env=environment)
            if replayed.stdout != "42 word\n":
                sys.exit(f"{compiler}: replay {replayed.stdout} {replayed.stderr}")
        (libs / "prog").unlink()
        refused = run(binaries / "culprit", "record", "-o", folder / "none", "--", script, status=2, env=environment)
        if "there is no" not in refused.stderr or (folder / "none").exists():
            sys.exit(f"a script without a program: {refused.stderr}")


main()
