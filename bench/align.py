#!/usr/bin/env python3
"""How long aligning two executions takes: generated ones of 10^7 and, without --quick, 10^8 points each."""

import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET_SECONDS, TARGET_MIB = 60, 4096


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="10^7 points only")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write every figure as JSON as well")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", help="Culprit's build tree (%(default)s)")
    arguments = parser.parse_args()
    rows = {}
    for name, points in (("m10", 10**7),) if arguments.quick else (("m10", 10**7), ("m100", 10**8)):
        done = subprocess.run([arguments.build / "bin/align-points", str(points)], check=True, capture_output=True, text=True)
        rows[name] = row = json.loads(done.stdout)
        for kind in ("pepid", "sei"):
            one = row[kind]
            print(f"{points:>11} points by {kind:<5} {one['seconds']:>7.2f} s  both {one['both']}, only one {one['left'] + one['right']}", flush=True)
    peak = max(row["peak_kib"] for row in rows.values()) / 1024
    if arguments.json:
        arguments.json.write_text(json.dumps({"rows": rows, "targets": {"m100_s": TARGET_SECONDS, "mem_mib": TARGET_MIB}}, indent=1) + "\n")
    hundred = f"{rows['m100']['pepid']['seconds']:.2f}" if "m100" in rows else "-"
    print(f"align: m10_s={rows['m10']['pepid']['seconds']:.2f} m100_s={hundred} mem_mib={peak:.0f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
