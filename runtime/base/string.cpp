// The bodies use the string instructions, or loops that the compiler cannot see through: it would
// turn them into calls to memcpy or memset, which are functions of the program we watch.
#include "runtime/base/string.h"

namespace bigfoot::rt {
namespace {

// A string instruction takes up to 20 ns to begin, even with nothing to do; most of what is copied
// here is shorter than it could be copied in that time.
constexpr usize kShort = 256;

template <class T>
struct [[gnu::packed, gnu::may_alias]] Unaligned {
  T value;
};
using Sixteen = unsigned long long __attribute__((vector_size(16)));

// Calls f(offset, type) for the pieces of n bytes from the front to the back, the largest first.
template <class F>
[[gnu::always_inline]] inline void in_pieces(usize n, F f) {
  usize at = 0;
  const auto piece = [&](auto type) {
    f(at, type);
    asm volatile("" ::: "memory");
    at += sizeof(type);
  };
  while (n - at >= 16) piece(Unaligned<Sixteen>{});
  if ((n & 8) != 0) piece(Unaligned<u64>{});
  if ((n & 4) != 0) piece(Unaligned<u32>{});
  if ((n & 2) != 0) piece(Unaligned<u16>{});
  if ((n & 1) != 0) piece(Unaligned<u8>{});
}

}  // namespace

void copy_bytes(void* to, const void* from, usize n) {
  if (n > kShort) {
    asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
    return;
  }
  in_pieces(n, [&]<class T>(usize at, T) {
    *reinterpret_cast<T*>(static_cast<char*>(to) + at) =
        *reinterpret_cast<const T*>(static_cast<const char*>(from) + at);
  });
}

void zero_bytes(void* p, usize n) {
  if (n > kShort) {
    asm volatile("rep stosb" : "+D"(p), "+c"(n) : "a"(0) : "memory");
    return;
  }
  in_pieces(n,
            [&]<class T>(usize at, T) { *reinterpret_cast<T*>(static_cast<char*>(p) + at) = T{}; });
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
  if (value == 0) {
    bigfoot::rt::zero_bytes(p, n);
    return p;
  }
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
