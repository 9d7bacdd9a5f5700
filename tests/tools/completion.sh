#!/usr/bin/env bash
# Completion offers the commands and their options, in each shell: the same ones, and nothing for what is no option.
. "$(dirname "$0")/support.sh"

export PATH=$bin:$PATH

in_bash() {
  bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _bigfoot; printf "%s\n" "${COMPREPLY[@]}"' \
    "$root/completions/bash/bigfoot" "$@"
}

# zsh completes in an editor only: what the function offers is shown, and filtered as the editor would.
in_zsh() {
  zsh -f -c '
    offer() { local entry; for entry in ${(P)1}; do print -r -- ${entry%%:*}; done }
    _describe() { offer $2 }
    _files() { print -r -- FILES }
    function=$1; shift
    words=("$@"); CURRENT=$#
    . $function' zsh "$root/completions/zsh/_bigfoot" "$@" | { grep -e "^${*: -1}" -e '^FILES$' || true; }
}

in_fish() {
  fish --no-config -c 'source $argv[1]; complete --do-complete "$argv[2]"' "$root/completions/fish/bigfoot.fish" "$*" | cut -f 1
}

for shell in bash zsh fish; do
  command -v $shell >/dev/null || fail "$shell is not installed (scripts/packages-test.txt)"
  [[ $(in_$shell bigfoot rep) == report ]] || { in_$shell bigfoot rep; fail "$shell completes no command"; }
  [[ $(in_$shell bigfoot lard) == lard-study ]] || fail "$shell: a command with a dash"
  [[ $(in_$shell bigfoot report --sar) == --sarif ]] || { in_$shell bigfoot report --sar; fail "$shell completes no option"; }
  [[ $(in_$shell bigfoot report --gen) == --gen-suppressions ]] || fail "$shell: an option with a dash"
  [[ -z $(in_$shell bigfoot report --zzz) ]] || fail "$shell makes options up"
  for what in "bigfoot " "bigfoot report --"; do
    read -ra words <<<"$what"
    [[ $what == *" " ]] && words+=("")
    in_$shell "${words[@]}" | grep -v '^--help$' | sort >"$shell.offers"
    cat "$shell.offers" >>"$shell.all"
    [[ $(wc -l <"$shell.offers") -ge 8 ]] || { cat "$shell.offers"; fail "$shell offers little for '$what'"; }
  done
done
cmp bash.all zsh.all && cmp bash.all fish.all || fail "shells differ"
touch some-file
[[ $(in_bash bigfoot report some) == some-file && $(in_zsh bigfoot report some) == FILES && $(in_fish bigfoot report some) == some-file ]] ||
  fail "files are not completed"
