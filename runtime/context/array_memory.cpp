// Arrays outside of the heap: the memory of globals and mappings, which is told of when it comes
// and goes (array/ranges.h).
#include "runtime/context/arrays.h"
#include "runtime/context/claims.h"
#include "runtime/context/commits.h"
#include "runtime/context/reclaim.h"

namespace bigfoot::rt {
namespace {

// Words that it has all bytes of: the planes know of a word as a whole, so that no array shares one
// with what is beside it.
ByteRange whole_words_of(const abi::GlobalArray& array) {
  const uptr begin = reinterpret_cast<uptr>(array.begin);
  const uptr first = (begin + 7) & ~uptr{7}, last = (begin + array.bytes) & ~uptr{7};
  return first < last ? ByteRange{first, last - first} : ByteRange{};
}

// REQUIRES: nobody else is at work.
void add_unused(const abi::GlobalArray* arrays, usize count) {
  for (usize i = 0; i < count; ++i) {
    const ByteRange words = whole_words_of(arrays[i]);
    if (words.size >= ArrayRanges::kMinBytes && !has_history(words)) {
      runtime.arrays.add(words, kNoOrigin);
      give_up_claims(words);
      share_ends(words);
    }
  }
}

}  // namespace

void add_global_arrays(const abi::GlobalArray* arrays, usize count) {
  if (!runtime.arrays_on) return;
  RuntimeScope scope;
  if (runtime.single) return add_unused(arrays, count);
  // A library that is loaded by a thread of many. Its table may name the global of a module that
  // has been there before, which others access.
  const OthersStopped others;
  if (others) add_unused(arrays, count);
}

void array_memory_begins(Thread& t, ByteRange memory, Pc pc) {
  runtime.arrays.add(memory, origin_of(t, pc));
}

void array_memory_ends(Thread& t, ByteRange memory) {
  bool cuts = false;
  for (uptr a = memory.begin; a < memory.end();) {
    const ByteRange array = runtime.arrays.first_added_in({a, memory.end() - a}).bytes;
    if (array.size == 0) break;
    if (array.begin < memory.begin || array.end() > memory.end())
      cuts = true;
    else
      array_ends(t, array);
    a = array.end();
  }
  if (!cuts) return runtime.arrays.cut(memory);
  // Others may be at work on what is left.
  auto cut = [](void* range) {
    runtime.arrays.cut(*static_cast<ByteRange*>(range));
    share_ends(*static_cast<ByteRange*>(range));
  };
  if (!commit_all_then(t, cut, &memory)) clear_arrays(t, memory);
}

void no_array_any_more(Thread& t, ByteRange memory) {
  array_memory_ends(t, memory);
  clear_arrays(t, memory);
}

}  // namespace bigfoot::rt
