// The bodies use the string instructions: the compiler would turn a loop into a call to memcpy or
// memset, which are functions of the program we watch.
#include "runtime/base/string.h"

namespace bigfoot::rt {

void copy_bytes(void* to, const void* from, usize n) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}

void zero_bytes(void* p, usize n) {
  asm volatile("rep stosb" : "+D"(p), "+c"(n) : "a"(0) : "memory");
}

}  // namespace bigfoot::rt

// What the compiler itself may emit for struct copies and initialisation. Only the run time's own
// objects see these names: the build renames the references (see runtime/CMakeLists.txt).
extern "C" {
void* __bf_internal_memcpy(void* to, const void* from, std::size_t n) {
  bigfoot::rt::copy_bytes(to, from, n);
  return to;
}
void* __bf_internal_memmove(void* to, const void* from, std::size_t n) {
  auto* d = static_cast<char*>(to);
  const auto* s = static_cast<const char*>(from);
  if (d <= s || d >= s + n) {
    bigfoot::rt::copy_bytes(to, from, n);
  } else {
    for (std::size_t i = n; i > 0; --i) {
      d[i - 1] = s[i - 1];
      asm volatile("" ::: "memory");
    }
  }
  return to;
}
void* __bf_internal_memset(void* p, int value, std::size_t n) {
  void* at = p;
  asm volatile("rep stosb" : "+D"(at), "+c"(n) : "a"(value) : "memory");
  return p;
}
int __bf_internal_memcmp(const void* a, const void* b, std::size_t n) {
  const auto* x = static_cast<const unsigned char*>(a);
  const auto* y = static_cast<const unsigned char*>(b);
  for (std::size_t i = 0; i < n; ++i) {
    if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    asm volatile("" ::: "memory");
  }
  return 0;
}
std::size_t __bf_internal_strlen(const char* s) { return bigfoot::rt::length(s); }
}
