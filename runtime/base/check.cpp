#include "runtime/base/check.h"

#include "runtime/base/print.h"
#include "runtime/sys/sys.h"

namespace bigfoot::rt {
namespace {
constexpr int kExitSoftware = 70;
constexpr int kExitOs = 71;
}  // namespace

void check_failed(const char* file, int line, const char* condition) {
  LineBuffer<512> out;
  out.add("bigfoot: internal error: ").add(file).add(":").add_decimal(static_cast<u64>(line));
  out.add(": ").add(condition).add("\n");
  out.write_to(sys::kStderr);
  sys::exit_process(kExitSoftware);
}

void die(const char* what, const char* why) {
  LineBuffer<1024> out;
  out.add("bigfoot: ").add(what).add(": ").add(why).add("\n");
  out.write_to(sys::kStderr);
  sys::exit_process(kExitOs);
}

}  // namespace bigfoot::rt
