// Libraries that are loaded and unloaded while the program runs.
//
// The dynamic linker maps and unmaps by system calls of its own. What a library's memory has seen
// ends with the library: the modules that are gone after dlclose are forgotten, address by address.
// (Doing it after dlopen would forget what the library's own constructors did.)
//
// Edges: the constructors of a library have run when any dlopen of it returns.
#include <dlfcn.h>
#include <link.h>

#include "runtime/base/pool.h"
#include "runtime/intercept/hold_signals.h"
#include "runtime/intercept/interceptor.h"

using namespace bigfoot::rt;
using namespace bigfoot::rt::intercept;

namespace {

// The extents of all loaded modules.
class ModuleList {
 public:
  ModuleList() {
    HoldSignals hold;
    dl_iterate_phdr(add_module, this);
  }
  ~ModuleList() {
    HoldSignals hold;
    pool_free(modules_, capacity_ * sizeof(ByteRange));
  }
  ModuleList(const ModuleList&) = delete;
  ModuleList& operator=(const ModuleList&) = delete;

  bool contains(const ByteRange& m) const {
    for (const ByteRange& other : *this)
      if (other.begin == m.begin && other.size == m.size) return true;
    return false;
  }
  const ByteRange* begin() const { return modules_; }
  const ByteRange* end() const { return modules_ + count_; }

 private:
  static int add_module(dl_phdr_info* info, size_t, void* self) {
    ByteRange extent = {~uptr{0}, 0};
    uptr last = 0;
    for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
      const auto& segment = info->dlpi_phdr[i];
      if (segment.p_type != PT_LOAD) continue;
      uptr at = info->dlpi_addr + segment.p_vaddr;
      if (at < extent.begin) extent.begin = at;
      if (at + segment.p_memsz > last) last = at + segment.p_memsz;
    }
    if (last == 0) return 0;
    extent.size = last - extent.begin;
    static_cast<ModuleList*>(self)->add(extent);
    return 0;
  }
  void add(const ByteRange& m) {
    if (count_ == capacity_) {
      usize wanted = capacity_ == 0 ? 64 : 2 * capacity_;
      auto* bigger = static_cast<ByteRange*>(pool_allocate(wanted * sizeof(ByteRange)));
      for (usize i = 0; i < count_; ++i) bigger[i] = modules_[i];
      pool_free(modules_, capacity_ * sizeof(ByteRange));
      modules_ = bigger;
      capacity_ = wanted;
    }
    modules_[count_++] = m;
  }
  ByteRange* modules_ = nullptr;
  usize count_ = 0;
  usize capacity_ = 0;
};

// The object all loading and unloading is ordered by: the dynamic linker holds one lock throughout.
char loader;

}  // namespace

BF_INTERCEPTOR(void*, dlopen, const char* path, int mode) {
  const Call call(BF_PC());
  void* library = real_dlopen(path, mode);
  if (call && library != nullptr) {
    acquire(call.thread(), address_of(&loader), call.pc());
    release(call.thread(), address_of(&loader), call.pc());
  }
  return library;
}

BF_INTERCEPTOR(int, dlclose, void* library) {
  const Call call(BF_PC());
  if (!call) return real_dlclose(library);
  release(call.thread(), address_of(&loader), call.pc());
  ModuleList before;
  int result = real_dlclose(library);
  ModuleList after;
  for (const ByteRange& m : before)
    if (!after.contains(m)) memory_unmapped(call.thread(), m);
  return result;
}
