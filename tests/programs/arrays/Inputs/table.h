// A library with a global array.
#pragma once

extern "C" void table_fill(int first, int last);
