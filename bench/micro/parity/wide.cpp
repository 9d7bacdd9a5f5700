// Accesses of 32 bytes; compiled with -mavx.
#include "accesses.h"

namespace parity {
namespace {

template <Kind kKind>
void add_kind(Rows& rows) {
  add<One<Bytes32, kKind>>(rows, name_of(kKind, "32"));
  add<One<Bytes32, kKind, 4, 64>>(rows, name_of(kKind, "32-across-words"));
  add<One<Bytes32, kKind, 48, 64>>(rows, name_of(kKind, "32-across-lines"));
}

}  // namespace

void add_wide_rows(Rows& rows) {
  const std::size_t first = rows.size();
  add_kind<Kind::kRead>(rows);
  add_kind<Kind::kWrite>(rows);
  add_kind<Kind::kUpdate>(rows);
  for (std::size_t i = first; i < rows.size(); ++i) rows[i].unchecked_by_tsan = true;
}

}  // namespace parity
