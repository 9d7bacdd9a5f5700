#!/bin/sh
# Writes the linker's dynamic list for an archive: every global symbol of default visibility it defines.
# Programs export exactly these, so that their shared libraries bind to the run time.
#   list_exports.sh READELF ARCHIVE OUTPUT
set -eu
{
  echo "{"
  "$1" -Ws "$2" | awk '$5 != "LOCAL" && $6 == "DEFAULT" && $7 != "UND" && $8 != "" && $7 ~ /^[0-9]+$/ \
    { sub(/@.*/, "", $8); print "  " $8 ";" }' | LC_ALL=C sort -u
  echo "};"
} > "$3"
