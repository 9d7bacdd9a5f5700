#!/usr/bin/env bash
# The manual pages are well-formed and name every option that the command's help has.
. "$(dirname "$0")/support.sh"

for page in "$root"/man/*.1; do
  grep -q '^\.so ' "$page" && continue # another name for a page, found where they are installed
  groff -man -Tascii -ww "$page" >/dev/null 2>warnings || fail "$page"
  [[ ! -s warnings ]] || { cat warnings; fail "$page"; }
done
"$bin/bigfoot" report --help | grep -oE -- '--[a-z][a-z-]*' | sort -u | grep -vE -- '^--help$' >options
[[ $(wc -l <options) -ge 10 ]] || fail "no options in the help"
while read -r option; do
  grep -qF -- "$(sed 's/-/\\-/g; s/\([a-z]\)\\-\([a-z]\)/\1-\2/g' <<<"$option")" "$root/man/bigfoot-report.1" || fail "$option is not in the manual"
done <options
