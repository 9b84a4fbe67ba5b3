#!/usr/bin/env bash
# What bzip2's `make test` compares, and round trips, damage and recovery beside it.
set -uo pipefail
failures=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

check() {  # NAME COMMAND...
  local name=$1
  shift
  if "$@" >"$scratch/log" 2>&1; then
    echo "PASS: $name"
  else
    echo "FAIL: $name"
    tail -3 "$scratch/log"
    failures=1
  fi
}
compresses() { ./bzip2 "-$1" <"sample$1.ref" | cmp - "sample$1.bz2"; }
decompresses() { ./bzip2 -d ${2:-} <"sample$1.bz2" | cmp - "sample$1.ref"; }
round_trip() { ./bzip2 "-$2" <"$1" | ./bzip2 -dc | cmp - "$1"; }
refuses() { local status=0; ./bzip2 -tq "$1" || status=$?; ((status == 2)); }

# sample3 is compressed at level 2 in make test; -s is the small-memory decoder.
check "compress sample1" compresses 1
check "compress sample2" compresses 2
check "compress sample3" compresses 3
check "decompress sample1" decompresses 1
check "decompress sample2" decompresses 2
check "decompress sample3 small" decompresses 3 -s

seq 1 60000 >"$scratch/numbers"
head -c 600000 /dev/zero >"$scratch/zeros"
: >"$scratch/empty"
cat manual.pdf manual.ps *.c >"$scratch/mixed"
for file in numbers zeros empty mixed; do
  for level in 1 5 9; do check "round trip $file -$level" round_trip "$scratch/$file" "$level"; done
done

./bzip2 -1 -k "$scratch/mixed"
head -c 5000 "$scratch/mixed.bz2" >"$scratch/short.bz2"
check "truncated input is refused" refuses "$scratch/short.bz2"
cp "$scratch/mixed.bz2" "$scratch/damaged.bz2"
printf 'X' | dd of="$scratch/damaged.bz2" bs=1 seek=30000 conv=notrunc status=none
check "damaged input is refused" refuses "$scratch/damaged.bz2"
check "recovery" ./bzip2recover "$scratch/damaged.bz2"
check "recovered blocks" bash -c "./bzip2 -tq $scratch/rec00004damaged.bz2"
check "a second member" bash -c "cat sample1.bz2 sample2.bz2 | ./bzip2 -dc | cmp - <(cat sample1.ref sample2.ref)"
check "in place" bash -c "cp sample1.ref $scratch/file && ./bzip2 $scratch/file && ./bzip2 -d $scratch/file.bz2 && cmp sample1.ref $scratch/file"
exit "$failures"
