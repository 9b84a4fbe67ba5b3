#!/usr/bin/env bash
# The check of rooms must find an include that points the wrong way. Usage: planted_violation.sh SOURCE_FOLDER
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -r "$1" "$copy/src"
echo '#include "cli/command.h"' >> "$copy/src/base/error.h"
if "$here/check_rooms.py" "$copy/src" > "$copy/found"; then
  echo "the planted include was not found"
  exit 1
fi
grep -q 'base/error.h: includes cli/command.h' "$copy/found"
