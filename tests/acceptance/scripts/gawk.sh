#!/usr/bin/env bash
# gawk's own targets for tests; each leaves a file _NAME where its output differs from NAME.ok.
set -uo pipefail
cd test
rm -f _*
targets=$(sed -n '/^BASIC_TESTS/,/[^\\]$/p; /^UNIX_TESTS/,/[^\\]$/p; /^GAWK_EXT_TESTS/,/[^\\]$/p' Makefile |
  sed 's/^[A-Z_]* *=//; s/\\$//' | tr -s ' \t' '\n\n' | sort -u | grep -v '^$')
failures=0
# Those that need a terminal, the network or more than a minute are not run.
left_out='^(pty1|pty2|time|timeout|iolint|clos1way6|localenl|devfd.*|inplace.*|ignrcas3|nlstringtest.*|mpfr.*)$'
for target in $targets; do
  [[ $target =~ $left_out ]] && continue
  timeout 300 make -s "$target" >"log-$target" 2>&1
  if (($? != 0)) || [[ -e _$target ]]; then
    echo "FAIL: $target"
    failures=1
  else
    echo "PASS: $target"
  fi
done
exit "$failures"
