#!/usr/bin/env bash
# expat's test program reports each failed check; xmlwf reads the documents that come with the package.
set -uo pipefail
cd expat
failures=0
for program in runtests; do
  timeout 300 "tests/$program" -v >"log-$program" 2>&1
  status=$?
  # "100%: Checks: 361, Failed: 0" comes last.
  total=$(sed -n 's/^.*Checks: \([0-9]*\), Failed: .*/\1/p' "log-$program" | tail -1)
  bad=$(sed -n 's/^.*Checks: [0-9]*, Failed: //p' "log-$program" | tail -1)
  for ((i = 0; i < ${total:-0} - ${bad:-0}; i++)); do echo "PASS: $program check"; done
  grep -a '^FAIL' "log-$program" || true
  if ((status == 0)); then echo "PASS: $program"; else echo "FAIL: $program"; failures=1; fi
done
for document in $(find ../testdata -name '*.xml' | sort) $(find ../debian . -name '*.xml' | sort); do
  if ./xmlwf/xmlwf "$document" >log-xmlwf 2>&1 && [[ ! -s log-xmlwf ]]; then
    echo "PASS: $document"
  else
    echo "FAIL: $document"
    failures=1
  fi
done
exit "$failures"
