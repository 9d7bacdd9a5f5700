#!/bin/sh
# bigfoot-swap.sh DRIVER COMPILER ARGUMENTS...: runs the driver in the compiler's place.
driver=$1
shift 2
exec "$driver" "$@"
