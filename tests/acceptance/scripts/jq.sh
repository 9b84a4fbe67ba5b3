#!/usr/bin/env bash
# jq's own test scripts. Those with many cases end with "N of M tests passed" and say "*** ..." where one fails.
# optionaltest is not run, as in jq's own `make check`: it depends on the C library.
set -uo pipefail
failures=0
export NO_VALGRIND=1
for name in jqtest onigtest base64test utf8test shtest; do
  [[ -e tests/$name ]] || continue
  timeout 300 bash "tests/$name" >"log-$name" 2>&1
  status=$?
  passed=$(sed -n 's/^\([0-9]*\) of [0-9]* tests passed.*/\1/p' "log-$name")
  for ((i = 0; i < ${passed:-0}; i++)); do echo "PASS: $name case"; done
  sed -n 's/^\*\*\* /FAIL: /p' "log-$name"
  if ((status == 0)); then
    echo "PASS: $name"
  else
    echo "FAIL: $name"
    tail -3 "log-$name"
    failures=1
  fi
done
exit "$failures"
