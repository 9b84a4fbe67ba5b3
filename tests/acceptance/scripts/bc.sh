#!/usr/bin/env bash
# Runs bc's Test/*.b, calculations that cover its language, and dc programs; Debian's bc and dc give the expectation.
set -uo pipefail
failures=0

check() {  # NAME EXPECTED ACTUAL
  if [[ "$2" == "$3" ]]; then
    echo "PASS: $1"
  else
    echo "FAIL: $1"
    diff <(echo "$2") <(echo "$3") | head -5
    failures=1
  fi
}
with_status() { timeout 300 "$@" 2>&1; echo "status $?"; }

for script in Test/*.b; do
  # The second argument quits; timetest feeds them the same way.
  check "$script" "$(echo quit | with_status /usr/bin/bc -l "$script")" "$(echo quit | with_status bc/bc -l "$script")"
done

bc_language='
define f(n) { auto r; if (n <= 1) return (1); r = n * f(n - 1); return (r); }
define void show(*a[], n) { auto i; for (i = 0; i < n; i++) print a[i], " "; print "\n"; }
for (i = 0; i < 12; i++) v[i] = f(i); show(v[], 12)
f(200)
scale = 60; 4 * a(1); e(1); l(2); s(1); c(1); j(2, 3)
sqrt(2); 2 ^ 200; 2 ^ -20; 17 % 5; -17 / 5
ibase = 16; FF.8; ibase = A; obase = 16; 255; 3.14159; obase = 2; 1023; obase = 10000; 123456789
obase = 10; while (x < 5) { x += 1; if (x == 3) continue; if (x == 5) break; x }
1 < 2 && 3 > 2 || !1; length(123.456); scale(1.2345); last
1 / 0
undefined_function(3)
'
check "bc language" "$(with_status /usr/bin/bc -l <<<"$bc_language")" "$(with_status bc/bc -l <<<"$bc_language")"

dc_programs=(
  '40 k 2 v p 3 / p 2 100 ^ p 17 5 ~ f'
  '[la1+dsa*pla10>y]sy 0sa1 lyx'
  '16 i FF p A i 2 o 255 p 16 o 48879 p 10 o [string] p n'
  '1 2 3 4 5 r f d d R z p Z X 1 :r 1 ;r p'
  '[1q]sx [lx x 2 p]x 3 p 0 0 / 9 10 3 | p'
)
for program in "${dc_programs[@]}"; do
  check "dc $program" "$(with_status /usr/bin/dc -e "$program")" "$(with_status dc/dc -e "$program")"
done
exit "$failures"
