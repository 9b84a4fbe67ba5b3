#!/usr/bin/env bash
# Runs sqlite3.sql through the shell; each statement that selects 'NAME', expected, actual is one test.
set -uo pipefail
failures=0
rm -f acceptance.db
# Twice: into memory, and into a file where what was committed must be found again.
for database in :memory: acceptance.db; do
  output=$(timeout 300 ./sqlite3 -batch "$database" <"$SCRIPTS/sqlite3.sql" 2>&1)
  status=$?
  while IFS='|' read -r word name expected actual; do
    [[ $word == test ]] || continue
    if [[ "$expected" == "$actual" ]]; then
      echo "PASS: $database $name"
    else
      echo "FAIL: $database $name: expected $expected, got $actual"
      failures=1
    fi
  done <<<"$output"
  if ((status != 0)) || grep -E '^(Parse |Runtime )?[Ee]rror' <<<"$output"; then
    echo "FAIL: $database exit status $status"
    failures=1
  fi
done
kept=$(./sqlite3 acceptance.db 'PRAGMA integrity_check; SELECT count(*), sum(value) FROM big;')
if [[ "$kept" == $'ok\n3000|4501500' ]]; then echo "PASS: reopened"; else echo "FAIL: reopened: $kept"; failures=1; fi
dumped=$(./sqlite3 acceptance.db .dump | ./sqlite3 :memory: '.read /dev/stdin' 'SELECT count(*), sum(value) FROM big;')
if [[ "$dumped" == "3000|4501500" ]]; then echo "PASS: dump and restore"; else echo "FAIL: dump and restore: $dumped"; failures=1; fi
rm -f acceptance.db
exit "$failures"
