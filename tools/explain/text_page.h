// A source file as text, with its checks where they ended up.
//
//      4 |   for (long i = 0; i < n; ++i)
//      5 |     a[i] = 0;
//        |     ^ write of 8 bytes: check 1, once for the loop at line 4
//        | CHECK 1: write a[0 .. 8*n], for 5:10; not later because the function ends
//      6 | }
//
// A check stands above the line whose code it comes before. What was inlined is shown in the line
// that called it. After the source: a table of the functions, and what held checks back.
#pragma once

#include <string>
#include <vector>

#include "tools/explain/record.h"

namespace bigfoot::explain {

// `lines`: the text of record.source_path(), without line ends.
std::string text_page(const Record& record, const std::vector<std::string>& lines);

}  // namespace bigfoot::explain
