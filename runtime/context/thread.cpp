#include "runtime/context/thread.h"

#include "runtime/base/pool.h"
#include "runtime/base/string.h"

namespace bigfoot::rt {
constinit abi::Cursor no_cursors[kAllCursors] = {};
constinit SettledBlock SettledBytes::none[kCount] = {};
}  // namespace bigfoot::rt

extern "C" {
__attribute__((
    visibility("default"),
    tls_model("initial-exec"))) constinit thread_local bigfoot::abi::ThreadHot __bf_thread = {
    bigfoot::abi::kStampUnattached,
    0,
    nullptr,
    nullptr,
    0,
    bigfoot::abi::kNotUsual,
    {1},
    bigfoot::rt::no_cursors,
    bigfoot::rt::SettledBytes::none,
    bigfoot::rt::SettledBytes::kEpochStep,
    0};
}

namespace bigfoot::rt {

void HeldLocks::push(const LockTaken& l) {
  if (count_ == capacity_) {
    u32 wanted = capacity_ == 0 ? 8 : capacity_ * 2;
    auto* bigger = static_cast<HeldLock*>(pool_allocate(wanted * sizeof(HeldLock)));
    copy_bytes(bigger, items_, count_ * sizeof(HeldLock));
    pool_free(items_, capacity_ * sizeof(HeldLock));
    items_ = bigger;
    capacity_ = wanted;
  }
  items_[count_++] = {l, 1, kNotInterned};
}

HeldLock* HeldLocks::find(uptr address) {
  for (u32 i = count_; i > 0; --i)
    if (items_[i - 1].lock.address == address) return &items_[i - 1];
  return nullptr;
}

void HeldLocks::remove(HeldLock* h) {
  for (HeldLock* p = h; p + 1 < items_ + count_; ++p) {
    *p = *(p + 1);
    p->upto = kNotInterned;
  }
  --count_;
}

void HeldLocks::release_storage() {
  pool_free(items_, capacity_ * sizeof(HeldLock));
  items_ = nullptr;
  count_ = capacity_ = 0;
}

}  // namespace bigfoot::rt
