// lard.h: history of memory that ends, is copied or moves.
#include "runtime/intercept/interceptor.h"
#include "runtime/lard/misuse.h"
#include "runtime/lard/ranges.h"

using namespace bigfoot::rt;
using namespace bigfoot::rt::lard;
using bigfoot::rt::intercept::Call;

namespace {

using TransferEvent = void (*)(Thread& t, uptr from, uptr to, usize bytes);

int transfer_all(const char* function, TransferEvent event, const bf_lard_transfer* transfers,
                 usize count, Pc pc) {
  const Call call(pc);
  if (!call) return BF_LARD_OK;
  if (const char* wrong = complaint_about(transfers, count)) return misuse(function, wrong, pc);
  for (usize i = 0; i < count; ++i) {
    const bf_lard_transfer& t = transfers[i];
    event(call.thread(), lard::address_of(t.from), lard::address_of(t.to), t.bytes);
  }
  return BF_LARD_OK;
}

}  // namespace

BF_EXPORT int __bf_lard_clear(const bf_lard_range* ranges, size_t count) {
  const Call call(BF_PC());
  if (!call) return BF_LARD_OK;
  if (const char* wrong = complaint_about_list(ranges, count))
    return misuse("bf_lard_clear", wrong, call.pc());
  for (usize i = 0; i < count; ++i)
    if (const char* wrong = complaint_about({lard::address_of(ranges[i].begin), ranges[i].bytes}))
      return misuse("bf_lard_clear", wrong, call.pc());
  for (usize i = 0; i < count; ++i)
    memory_cleared(call.thread(), {lard::address_of(ranges[i].begin), ranges[i].bytes});
  return BF_LARD_OK;
}
BF_EXPORT int __bf_lard_copy(const bf_lard_transfer* transfers, size_t count) {
  return transfer_all("bf_lard_copy", memory_copied, transfers, count, BF_PC());
}
BF_EXPORT int __bf_lard_move(const bf_lard_transfer* transfers, size_t count) {
  return transfer_all("bf_lard_move", memory_moved, transfers, count, BF_PC());
}
