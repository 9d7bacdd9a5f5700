#include "runtime/report/fingerprint.h"

namespace bigfoot::rt::report {
namespace {

constexpr u32 kMaxHashedFrames = 16;

u64 add_number(u64 hash, u64 v) {
  const char bytes[9] = {char(v),       char(v >> 8),  char(v >> 16),
                         char(v >> 24), char(v >> 32), char(v >> 40),
                         char(v >> 48), char(v >> 56), 0};
  return hash_of({bytes, 8}, hash);
}

// With a zero behind it, so that "ab","c" and "a","bc" differ.
u64 add_text(u64 hash, Text text) {
  return hash_of({"", 1}, hash_of(text, hash));
}

u64 add_frame(u64 hash, const FrameRef& f) {
  if (f.source->function.empty()) {
    const Text module = f.at->at.module == nullptr ? Text("?") : f.at->at.module->name();
    return add_number(add_text(hash, module), f.at->at.module == nullptr ? 0 : f.at->at.offset);
  }
  hash = add_text(hash, f.source->function);
  hash = add_text(hash, f.source->file.basename());
  return add_number(hash, f.source->line);
}

u64 add_stack(u64 hash, const ResolvedStack& stack) {
  u32 n = 0;
  for_each_frame(stack, [&](const FrameRef& f) {
    hash = add_frame(hash, f);
    return ++n < kMaxHashedFrames && is_system_file(f.source->file);
  });
  return hash;
}

u64 hash_access(const ReportAccess& a) {
  u64 hash = add_number(kHashSeed, static_cast<u64>(a.access.kind));
  return add_text(add_stack(add_number(hash, a.access.size), a.stack), a.field);
}

u64 add_object(u64 hash, const ReportObject& object) {
  hash = add_number(hash, static_cast<u64>(object.facts.kind));
  if (object.global != nullptr) hash = add_text(hash, object.global->name);
  return add_stack(hash, object.allocated);
}

}  // namespace

u64 fingerprint(const Report& r) {
  u64 hash = add_text(kHashSeed, r.title);
  if (r.access_count == 2) {
    const u64 a = hash_access(r.accesses[0]);
    const u64 b = hash_access(r.accesses[1]);
    hash = add_number(add_number(hash, a < b ? a : b), a < b ? b : a);
  }
  return add_object(add_stack(hash, r.where), r.object);
}

}  // namespace bigfoot::rt::report
