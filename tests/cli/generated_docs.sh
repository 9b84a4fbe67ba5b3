#!/usr/bin/env bash
# Man pages exist for every command and bash completes what the registry holds. Usage: generated_docs.sh CULPRIT
set -euo pipefail
culprit=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
  echo "$1"
  exit 1
}

"$culprit" manpage --all "$folder"
listed=0
while read -r page; do
  [[ -s $folder/$page.1 ]] || fail "culprit(1) names $page, which has no page"
  grep -q '^\.SH EXAMPLES' "$folder/$page.1" || fail "$page has no examples"
  listed=$((listed + 1))
done < <(sed -n 's/^\\fB\(culprit.*\)\\fR(1)$/\1/p' "$folder/culprit.1" | tr -d '\\')
((listed >= 5)) || fail "culprit(1) lists $listed commands only"
((listed + 1 == $(ls "$folder" | wc -l))) || fail "pages and list differ"
grep -q -- '\\-\\-plan' "$folder/culprit-build.1" || fail "the page of build lacks --plan"

complete_words() {
  COMP_WORDS=("$@")
  COMP_CWORD=$(($# - 1))
  COMPREPLY=()
  _culprit
  echo "${COMPREPLY[*]}"
}
source <("$culprit" completion bash)
[[ $(complete_words culprit bui) == build ]] || fail "bui is not completed to build"
[[ $(complete_words culprit build --pl) == --plan ]] || fail "build --pl is not completed to --plan"
[[ $(complete_words culprit dump cap) == capture ]] || fail "dump cap is not completed to capture"
[[ -z $(complete_words culprit run ./prog -- --pl) ]] || fail "the program's own arguments are completed"
# Into a file first: grep -q would close a pipe early.
for shell in zsh fish; do
  "$culprit" completion "$shell" > "$folder/completion"
  grep -q build "$folder/completion" || fail "$shell"
done
if "$culprit" completion tcsh 2> "$folder/message"; then fail "tcsh was accepted"; fi
grep -q remedy "$folder/message"
