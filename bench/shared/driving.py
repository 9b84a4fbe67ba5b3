"""What benches share that build a small program and drive Culprit's own tools with it."""

import argparse
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent.parent


def parser_of(description):
    """The options that all of them have."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="less of everything")
    parser.add_argument("--json", metavar="FILE", help="write every figure as JSON as well")
    parser.add_argument("--culprit", type=pathlib.Path, default=HERE.parent / "build/release/bin/culprit")
    return parser


def run(*words):
    """The standard output of a command, which must succeed."""
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=900)
    if done.returncode != 0:
        sys.exit(f"{' '.join(str(word) for word in words)}: status {done.returncode}: {done.stderr[-2000:]}")
    return done.stdout
