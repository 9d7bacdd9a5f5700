// The C ABI for fields that are checked together. See abi/entry_points.def.
#include "abi/groups.h"

#include "runtime/context/group_access.h"

using namespace bigfoot;
using namespace bigfoot::rt;

#define BF_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

const GroupSite& record_of(const abi::GroupSite* site) {
  return *static_cast<const GroupSite*>(load_acquire(&site->record));
}

template <bool kWrites>
[[gnu::always_inline]] inline u32 whole_group_check(uptr a, u32 words, abi::GroupSite* site) {
  if (detail::inlined_group_test<kWrites>(a, words)) [[likely]]
    return 0;
  const auto* record = static_cast<const GroupSite*>(load_acquire(&site->record));
  if (BF_UNLIKELY(record == nullptr)) return 1;
  slow_group<kWrites>(a, *record);
  return 0;
}

}  // namespace

// The call behind the test; the positions of the pieces are known.
// Each is declared first: the attribute would not be part of a definition's type otherwise.
BF_EXPORT BF_SPARE void __bf_read_group(void* p, abi::GroupSite* site);
BF_EXPORT BF_SPARE void __bf_read_group(void* p, abi::GroupSite* site) {
  slow_group<false>(reinterpret_cast<uptr>(p), record_of(site));
}
BF_EXPORT BF_SPARE void __bf_write_group(void* p, abi::GroupSite* site);
BF_EXPORT BF_SPARE void __bf_write_group(void* p, abi::GroupSite* site) {
  slow_group<true>(reinterpret_cast<uptr>(p), record_of(site));
}
// The whole check. 1: the positions are asked for, and nothing has been done.
BF_EXPORT BF_SPARE u32 __bf_check_read_group(void* p, abi::GroupSite* site, u32 words);
BF_EXPORT BF_SPARE u32 __bf_check_read_group(void* p, abi::GroupSite* site, u32 words) {
  return whole_group_check<false>(reinterpret_cast<uptr>(p), words, site);
}
BF_EXPORT BF_SPARE u32 __bf_check_write_group(void* p, abi::GroupSite* site, u32 words);
BF_EXPORT BF_SPARE u32 __bf_check_write_group(void* p, abi::GroupSite* site, u32 words) {
  return whole_group_check<true>(reinterpret_cast<uptr>(p), words, site);
}
BF_EXPORT BF_SPARE void __bf_group_piece(abi::GroupSite* site, u32 piece);
BF_EXPORT BF_SPARE void __bf_group_piece(abi::GroupSite* site, u32 piece) {
  add_group_piece(*site, piece, reinterpret_cast<uptr>(__builtin_return_address(0)));
}
BF_EXPORT void __bf_field_groups(abi::FieldGroup* groups, u32 count) {
  runtime.field_groups.add(groups, count);
}
