// Conjectures for loop heads, from induction variables. They are guesses: whoever uses them
// verifies them on every edge into the loop.
#pragma once

#include <optional>
#include <vector>

#include "analysis/placement/reasoner.h"

namespace bigfoot::placement {

// Boolean candidates: bounds and congruences of induction variables, relations between them, and
// the conditions of staying in the loop moved back by one iteration.
std::vector<ir::Atom> boolean_conjectures(const Reasoner& reasoner, const ir::Loop& loop,
                                          const std::vector<ir::Atom>& on_back_edges);

// What all earlier iterations together have accessed, if this iteration accesses `path`:
//   a[i], i from lo in steps of 1         a[lo..i]
//   a[i], i from lo in steps of k         a[lo..i:k]
//   a[i], i downwards from hi             a[i+1..hi+1]
//   a[i..i+m], i from lo in steps of m    a[lo..i]
//   a[i..i+m], i from lo in steps of k<m  a[lo..i]
std::optional<ir::Path> accessed_before(const ir::Loop& loop, const ir::Path& path);

// What this and all later iterations will access, if the loop stays while `stay` holds.
std::vector<ir::Path> accessed_from_here_on(const ir::Loop& loop, const ir::Path& path,
                                            const std::vector<ir::Atom>& stay);

}  // namespace bigfoot::placement
