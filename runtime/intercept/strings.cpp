// Wrappers of the memory and string functions.
//
// Extents are exact: what the function has to look at to give its answer, and no more. A comparison
// reads up to the first difference, a search up to what it finds, a string up to its end. All
// accesses are told before the function runs.
#include "runtime/base/string.h"
#include "runtime/intercept/memory.h"
#include "runtime/intercept/wrapper.h"

using namespace bigfoot::rt;
using namespace bigfoot::rt::intercept;

BF_REAL(usize, strlen, (const char*))
BF_REAL(usize, strnlen, (const char*, usize))
BF_REAL(int, memcmp, (const void*, const void*, usize))
BF_REAL(int, strncasecmp, (const char*, const char*, usize))

namespace {

void reads_string(const Call& call, const char* s) {
  if (call) reads(call, s, real_strlen(s) + 1);
}
// At most n characters: the end counts only if it lies among them.
usize extent(const char* s, usize n) {
  usize length = real_strnlen(s, n);
  return length < n ? length + 1 : n;
}
// From the start of a search to what it found, `missing` if it found nothing.
usize extent(const void* start, const void* found, usize found_size, usize missing) {
  return found == nullptr ? missing : address_of(found) - address_of(start) + found_size;
}

constexpr usize kUnbounded = ~usize{0};

template <class Equal>
usize compared(const char* a, const char* b, usize n, bool stop_at_end, Equal equal) {
  usize i = 0;
  while (i < n && equal(a[i], b[i]) && !(stop_at_end && a[i] == 0)) ++i;
  return i < n ? i + 1 : n;
}
bool same(char a, char b) {
  return a == b;
}
bool same_letter(char a, char b) {
  return a == b || real_strncasecmp(&a, &b, 1) == 0;
}

void reads_both(const Call& call, const void* a, const void* b, usize n) {
  reads(call, a, n);
  reads(call, b, n);
}

}  // namespace

// --- memory --------------------------------------------------------------------------------------

BF_WRAPPER(void*, memcpy, void* to, const void* from, usize n) {
  const Call call(BF_PC());
  reads(call, from, n);
  writes(call, to, n);
  return real_memcpy(to, from, n);
}
BF_WRAPPER(void*, mempcpy, void* to, const void* from, usize n) {
  const Call call(BF_PC());
  reads(call, from, n);
  writes(call, to, n);
  return real_mempcpy(to, from, n);
}
BF_WRAPPER(void*, memmove, void* to, const void* from, usize n) {
  const Call call(BF_PC());
  reads(call, from, n);
  writes(call, to, n);
  return real_memmove(to, from, n);
}
BF_WRAPPER(void, bcopy, const void* from, void* to, usize n) {
  const Call call(BF_PC());
  reads(call, from, n);
  writes(call, to, n);
  real_bcopy(from, to, n);
}
BF_WRAPPER(void*, memset, void* p, int value, usize n) {
  writes(Call(BF_PC()), p, n);
  return real_memset(p, value, n);
}
BF_WRAPPER(void, bzero, void* p, usize n) {
  writes(Call(BF_PC()), p, n);
  real_bzero(p, n);
}

namespace {
int compare_memory(const Call& call, const void* a, const void* b, usize n) {
  if (call)
    reads_both(call, a, b,
               compared(static_cast<const char*>(a), static_cast<const char*>(b), n, false, same));
  return real_memcmp(a, b, n);
}
}  // namespace

BF_EXPORT int __bf_memcmp(const void* a, const void* b, usize n) {
  return compare_memory(Call(BF_PC()), a, b, n);
}
BF_EXPORT int __bf_bcmp(const void* a, const void* b, usize n) {
  return compare_memory(Call(BF_PC()), a, b, n);
}

BF_WRAPPER(void*, memchr, const void* p, int value, usize n) {
  const Call call(BF_PC());
  void* found = real_memchr(p, value, n);
  reads(call, p, extent(p, found, 1, n));
  return found;
}
BF_WRAPPER(void*, memrchr, const void* p, int value, usize n) {
  const Call call(BF_PC());
  void* found = real_memrchr(p, value, n);
  usize skipped = found == nullptr ? 0 : address_of(found) - address_of(p);
  reads(call, static_cast<const char*>(p) + skipped, n - skipped);
  return found;
}
BF_WRAPPER(void*, memmem, const void* p, usize n, const void* wanted, usize m) {
  const Call call(BF_PC());
  void* found = real_memmem(p, n, wanted, m);
  reads(call, p, extent(p, found, m, n));
  reads(call, wanted, m);
  return found;
}

// --- lengths, copies -----------------------------------------------------------------------------

BF_EXPORT usize __bf_strlen(const char* s) {
  const Call call(BF_PC());
  usize n = real_strlen(s);
  reads(call, s, n + 1);
  return n;
}
BF_EXPORT usize __bf_strnlen(const char* s, usize max) {
  const Call call(BF_PC());
  reads(call, s, extent(s, max));
  return real_strnlen(s, max);
}

BF_WRAPPER(char*, strcpy, char* to, const char* from) {
  const Call call(BF_PC());
  usize n = real_strlen(from) + 1;
  reads(call, from, n);
  writes(call, to, n);
  return real_strcpy(to, from);
}
BF_WRAPPER(char*, stpcpy, char* to, const char* from) {
  const Call call(BF_PC());
  usize n = real_strlen(from) + 1;
  reads(call, from, n);
  writes(call, to, n);
  return real_stpcpy(to, from);
}
BF_WRAPPER(char*, strncpy, char* to, const char* from, usize n) {
  const Call call(BF_PC());
  reads(call, from, extent(from, n));
  writes(call, to, n);  // pads with zeros
  return real_strncpy(to, from, n);
}
BF_WRAPPER(char*, strcat, char* to, const char* from) {
  const Call call(BF_PC());
  usize at = real_strlen(to), n = real_strlen(from) + 1;
  reads(call, from, n);
  reads(call, to, at + 1);
  writes(call, to + at, n);
  return real_strcat(to, from);
}
BF_WRAPPER(char*, strncat, char* to, const char* from, usize max) {
  const Call call(BF_PC());
  usize at = real_strlen(to), n = real_strnlen(from, max);
  reads(call, from, extent(from, max));
  reads(call, to, at + 1);
  writes(call, to + at, n + 1);
  return real_strncat(to, from, max);
}

namespace {
char* duplicate(const Call& call, const char* s, usize n) {
  auto* copy = static_cast<char*>(intercept::allocate({.size = n + 1}, call.pc()));
  if (copy == nullptr) return nullptr;
  writes(call, copy, n + 1);
  copy_bytes(copy, s, n);
  copy[n] = 0;
  return copy;
}
}  // namespace

BF_EXPORT char* __bf_strdup(const char* s) {
  const Call call(BF_PC());
  usize n = real_strlen(s);
  reads(call, s, n + 1);
  return duplicate(call, s, n);
}
BF_EXPORT char* __bf_strndup(const char* s, usize max) {
  const Call call(BF_PC());
  reads(call, s, extent(s, max));
  return duplicate(call, s, real_strnlen(s, max));
}

// --- comparisons, searches -----------------------------------------------------------------------

BF_WRAPPER(int, strcmp, const char* a, const char* b) {
  const Call call(BF_PC());
  if (call) reads_both(call, a, b, compared(a, b, kUnbounded, true, same));
  return real_strcmp(a, b);
}
BF_WRAPPER(int, strncmp, const char* a, const char* b, usize n) {
  const Call call(BF_PC());
  if (call) reads_both(call, a, b, compared(a, b, n, true, same));
  return real_strncmp(a, b, n);
}
BF_WRAPPER(int, strcasecmp, const char* a, const char* b) {
  const Call call(BF_PC());
  if (call) reads_both(call, a, b, compared(a, b, kUnbounded, true, same_letter));
  return real_strcasecmp(a, b);
}
BF_EXPORT int __bf_strncasecmp(const char* a, const char* b, usize n) {
  const Call call(BF_PC());
  if (call) reads_both(call, a, b, compared(a, b, n, true, same_letter));
  return real_strncasecmp(a, b, n);
}

BF_WRAPPER(char*, strchr, const char* s, int c) {
  const Call call(BF_PC());
  char* found = real_strchr(s, c);
  if (call) reads(call, s, found == nullptr ? real_strlen(s) + 1 : extent(s, found, 1, 0));
  return found;
}
BF_WRAPPER(char*, strchrnul, const char* s, int c) {
  const Call call(BF_PC());
  char* found = real_strchrnul(s, c);
  reads(call, s, extent(s, found, 1, 0));
  return found;
}
BF_WRAPPER(char*, strrchr, const char* s, int c) {
  reads_string(Call(BF_PC()), s);
  return real_strrchr(s, c);
}
BF_WRAPPER(char*, strstr, const char* s, const char* wanted) {
  const Call call(BF_PC());
  char* found = real_strstr(s, wanted);
  if (call) {
    usize m = real_strlen(wanted);
    reads(call, wanted, m + 1);
    reads(call, s, found == nullptr ? real_strlen(s) + 1 : extent(s, found, m, 0));
  }
  return found;
}
// From where it stands to the end of the word it finds, which it marks with a zero.
BF_WRAPPER(char*, strtok_r, char* s, const char* set, char** rest) {
  const Call call(BF_PC());
  reads_string(call, set);
  if (s == nullptr) reads(call, rest, sizeof *rest);
  char* from = s != nullptr ? s : *rest;
  char* word = real_strtok_r(s, set, rest);
  writes(call, rest, sizeof *rest);
  if (!call || from == nullptr) return word;
  char* end = word == nullptr ? from : word + real_strlen(word);
  reads(call, from, address_of(end) - address_of(from) + 1);
  if (word != nullptr && *rest != end) writes(call, end, 1);
  return word;
}
BF_WRAPPER(char*, strsep, char** rest, const char* set) {
  const Call call(BF_PC());
  reads_string(call, set);
  reads(call, rest, sizeof *rest);
  char* word = real_strsep(rest, set);
  if (!call || word == nullptr) return word;
  const usize n = real_strlen(word);
  reads(call, word, n + 1);
  if (*rest != nullptr) writes(call, word + n, 1);
  writes(call, rest, sizeof *rest);
  return word;
}
BF_WRAPPER(usize, strspn, const char* s, const char* set) {
  const Call call(BF_PC());
  usize n = real_strspn(s, set);
  reads(call, s, n + 1);
  reads_string(call, set);
  return n;
}
BF_WRAPPER(usize, strcspn, const char* s, const char* set) {
  const Call call(BF_PC());
  usize n = real_strcspn(s, set);
  reads(call, s, n + 1);
  reads_string(call, set);
  return n;
}
BF_WRAPPER(char*, strpbrk, const char* s, const char* set) {
  const Call call(BF_PC());
  char* found = real_strpbrk(s, set);
  if (call) reads(call, s, found == nullptr ? real_strlen(s) + 1 : extent(s, found, 1, 0));
  reads_string(call, set);
  return found;
}
