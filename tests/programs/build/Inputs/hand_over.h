// Two rounds of bookkeeping, in a file of their own: one orders threads, one does not.
#pragma once

extern "C" long hand_over_locking(long round);
extern "C" long hand_over_counting(long round);
