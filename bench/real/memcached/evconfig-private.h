/* What libevent's configure script says to its own sources alone: nothing, on Linux. */
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
