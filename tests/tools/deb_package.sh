#!/usr/bin/env bash
# The .deb has everything at its place and works from wherever it is unpacked.
. "$(dirname "$0")/support.sh"

expect_exit 0 cpack --config "$BIGFOOT_BUILD/CPackConfig.cmake" -G DEB -B "$work/deb" \
  -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip
package=$(echo deb/bigfoot_*_amd64.deb)
[[ -f $package ]] || { cat out err; fail "no package"; }
dpkg-deb --info "$package" >info
grep -qE '^ Depends: .*clang-[0-9]+' info || { cat info; fail "depends on no compiler"; }
dpkg-deb -x "$package" unpacked
for file in bin/bigfoot bin/bigfoot-clang++ lib/libbigfoot_rt.a lib/cmake/bigfoot/bigfoot-config.cmake \
            share/man/man1/bigfoot.1 share/bash-completion/completions/bigfoot \
            share/zsh/vendor-completions/_bigfoot share/fish/vendor_completions.d/bigfoot.fish share/doc/bigfoot/LICENSE; do
  [[ -e unpacked/usr/$file ]] || fail "the package lacks $file"
done
expect_exit 66 unpacked/usr/bin/bigfoot run -x c++ "$sources/main.cpp" -x c "$sources/counter.c"
