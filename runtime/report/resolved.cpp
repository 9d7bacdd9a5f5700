#include "runtime/report/resolved.h"

namespace bigfoot::rt::report {
namespace {
// Two accesses with 64 locks, 128 mutexes and 64 threads, each with 256 frames, need 0.8 MiB.
constexpr usize kReportBytes = usize{2} << 20;
}  // namespace

ReportMemory::ReportMemory() : base_(static_cast<char*>(sys::map_memory(kReportBytes))) {}

ReportMemory::~ReportMemory() {
  if (base_ != nullptr) sys::unmap_memory(base_, kReportBytes);
}

void* ReportMemory::allocate(usize bytes) {
  bytes = (bytes + 15) & ~usize{15};
  if (base_ == nullptr || kReportBytes - used_ < bytes) return nullptr;
  void* p = base_ + used_;
  used_ += bytes;
  return p;
}

// In the order of StepKind.
const char* const kStepNames[kStepKinds] = {"lock",    "read-lock", "unlock", "acquire",
                                            "release", "arrive",    "depart", "create",
                                            "start",   "finish",    "join"};

bool is_system_file(Text file) {
  return file.starts_with("/usr/include/") || file.starts_with("/usr/lib/") ||
         file.contains("/include/c++/");
}

FrameRef headline(const ResolvedStack& stack) {
  FrameRef first, best;
  for_each_frame(stack, [&](const FrameRef& f) {
    if (first.source == nullptr) first = f;
    if (f.source->file.empty() || is_system_file(f.source->file)) return true;
    best = f;
    return false;
  });
  return best.source != nullptr ? best : first;
}

}  // namespace bigfoot::rt::report
