#!/usr/bin/env bash
# scripts/setup against an apt of our own making: what it installs, and what it says when it can not.
. "$(dirname "$0")/support.sh"

# The stand-ins: dpkg-query knows what is in `installed`; apt-cache what is in `offered`; apt-get logs its
# calls, fetches `archive` into `offered` and installs what is offered. `id` says who we are.
mkdir stub
stub() {
  cat >"stub/$1"
  chmod +x "stub/$1"
}
stub dpkg-query <<'SCRIPT'
#!/bin/bash
code=0
for name in "${@:3}"; do
  if grep -qx "$name" installed; then echo "installed $name"; else code=1; fi
done
exit $code
SCRIPT
stub apt-cache <<'SCRIPT'
#!/bin/bash
for name in "${@:2}"; do
  if grep -qx "$name" offered; then version=1.0; else version='(none)'; fi
  printf '%s:\n  Installed: (none)\n  Candidate: %s\n' "$name" "$version"
done
SCRIPT
stub apt-get <<'SCRIPT'
#!/bin/bash
words=()
for word in "$@"; do [[ $word == -* || $word == *::* ]] || words+=("$word"); done
echo "${words[*]}" >>log
case ${words[0]} in
  update) [[ ! -e no_network ]] || exit 100; cp archive offered ;;
  install)
    [[ ! -e gone || $(grep -c update log) -gt 0 ]] || exit 100
    printf '%s\n' "${words[@]:1}" >>installed ;;
esac
SCRIPT
printf '#!/bin/bash\ncat user\n' | stub id
printf '#!/bin/bash\necho sudo >>log\nexec "$@"\n' | stub sudo.off
for tool in bash env sed sort comm grep cat cp dirname readlink; do ln -s "$(command -v $tool)" stub/$tool; done

fresh() {
  rm -f log no_network gone stub/sudo
  : >log
  : >offered
  echo alpha >installed
  printf 'alpha\nbeta\ngamma\n' >archive
  echo 0 >user
  printf '# a comment\nalpha\nbeta # why\n\ngamma\n' >list
}
setup() { PATH=$work/stub "$root/scripts/setup" list; }
log() { tr '\n' ';' <log; }

# Nothing missing: no apt, not a word.
fresh
printf 'alpha\nbeta\ngamma\n' >installed
expect_silent setup
[[ -z $(log) ]] || fail "calls apt without need: $(log)"

# A fresh machine: lists first, then exactly what is missing.
fresh
expect_exit 0 setup
[[ $(log) == 'update;install beta gamma;' ]] || fail "$(log)"

# Lists that know the packages are not fetched again.
fresh
cp archive offered
expect_exit 0 setup
[[ $(log) == 'install beta gamma;' ]] || fail "$(log)"

# Lists that are too old: install fails, then works with new ones.
fresh
cp archive offered
touch gone
expect_exit 0 setup
[[ $(log) == 'install beta gamma;update;install beta gamma;' ]] || fail "$(log)"

# Not root: through sudo, or not at all.
fresh
echo 1000 >user
expect_exit 1 setup
[[ $(cat err) == *'need root or sudo, once, to install: beta gamma' ]] || fail "$(cat err)"
[[ -z $(log) ]] || fail "calls apt without being root"
cp stub/sudo.off stub/sudo
expect_exit 0 setup
[[ $(log) == 'sudo;update;sudo;install beta gamma;' ]] || fail "$(log)"

# No network; a release that lacks a package; a list that is not there; a system without apt.
fresh
touch no_network
expect_exit 1 setup
[[ $(tail -n 1 err) == *'is there a network?' ]] || fail "$(cat err)"
fresh
printf 'alpha\nbeta\n' >archive
expect_exit 1 setup
[[ $(tail -n 1 err) == *'does not offer: gamma '* ]] || fail "$(cat err)"
fresh
rm list
expect_exit 1 setup
grep -q 'can not read list' err || fail "$(cat err)"
fresh
mv stub/apt-get apt-get.off
expect_exit 1 setup
grep -q 'no apt' err || fail "$(cat err)"
BIGFOOT_NO_SETUP=1 expect_silent setup
