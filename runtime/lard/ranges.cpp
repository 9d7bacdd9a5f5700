#include "runtime/lard/ranges.h"

#include "runtime/base/pool.h"
#include "runtime/shadow/planes.h"

namespace bigfoot::rt::lard {
namespace {

// One side of a transfer and its place in the list.
struct Side {
  ByteRange bytes;
  usize index;
};

bool overlap(ByteRange a, ByteRange b) {
  return a.begin < b.end() && b.begin < a.end();
}

// By address; heap sort, because it needs nothing but the array.
void sift_down(Side* sides, usize root, usize count) {
  for (usize child; (child = 2 * root + 1) < count; root = child) {
    if (child + 1 < count && sides[child].bytes.begin < sides[child + 1].bytes.begin) ++child;
    if (sides[root].bytes.begin >= sides[child].bytes.begin) return;
    const Side s = sides[root];
    sides[root] = sides[child];
    sides[child] = s;
  }
}
void sort(Side* sides, usize count) {
  for (usize i = count / 2; i > 0; --i) sift_down(sides, i - 1, count);
  for (usize last = count; last > 1; --last) {
    const Side s = sides[0];
    sides[0] = sides[last - 1];
    sides[last - 1] = s;
    sift_down(sides, 0, last - 1);
  }
}

bool disjoint(const Side* sorted, usize count) {
  for (usize i = 1; i < count; ++i)
    if (sorted[i - 1].bytes.end() > sorted[i].bytes.begin) return false;
  return true;
}

// Both sorted and disjoint, so that each step of the walk leaves one side behind.
bool destroys_a_later_source(const Side* targets, const Side* sources, usize count) {
  for (usize t = 0, s = 0; t < count && s < count;) {
    if (overlap(targets[t].bytes, sources[s].bytes) && sources[s].index > targets[t].index)
      return true;
    if (targets[t].bytes.end() < sources[s].bytes.end())
      ++t;
    else
      ++s;
  }
  return false;
}

const char* complaint_about_sides(Side* sources, Side* targets, usize count) {
  sort(sources, count);
  sort(targets, count);
  if (!disjoint(sources, count)) return "two of the sources overlap";
  if (!disjoint(targets, count)) return "two of the targets overlap";
  if (destroys_a_later_source(targets, sources, count))
    return "a target overlaps the source of a later transfer";
  return nullptr;
}

}  // namespace

const char* complaint_about(ByteRange bytes) {
  if (bytes.size == 0) return nullptr;
  if (bytes.begin == 0) return "a null pointer";
  uptr last;
  if (__builtin_add_overflow(bytes.begin, bytes.size - 1, &last))
    return "the range wraps around the end of the address space";
  if (!shadow::covers(last)) return "the range is outside of the program's address space";
  return nullptr;
}

const char* complaint_about_list(const void* list, usize count, usize bytes_each) {
  usize bytes;
  if (__builtin_mul_overflow(count, bytes_each, &bytes)) return "the list cannot be so long";
  if (bytes != 0 && list == nullptr) return "no list";
  return complaint_about(ByteRange{address_of(list), bytes});
}

const char* complaint_about(const bf_lard_transfer* transfers, usize count) {
  if (const char* wrong = complaint_about_list(transfers, count)) return wrong;
  for (usize i = 0; i < count; ++i) {
    const bf_lard_transfer& t = transfers[i];
    if (const char* wrong = complaint_about(ByteRange{address_of(t.from), t.bytes})) return wrong;
    if (const char* wrong = complaint_about(ByteRange{address_of(t.to), t.bytes})) return wrong;
  }
  if (count < 2) return nullptr;
  const usize room = 2 * count * sizeof(Side);
  auto* sides = static_cast<Side*>(pool_allocate(room));
  usize n = 0;  // empty ones are in nobody's way
  for (usize i = 0; i < count; ++i) {
    const bf_lard_transfer& t = transfers[i];
    if (t.bytes == 0) continue;
    sides[n] = {{address_of(t.from), t.bytes}, i};
    sides[count + n++] = {{address_of(t.to), t.bytes}, i};
  }
  const char* wrong = complaint_about_sides(sides, sides + count, n);
  pool_free(sides, room);
  return wrong;
}

}  // namespace bigfoot::rt::lard
