// Memory that begins, ends or moves.
#include "runtime/context/arrays.h"
#include "runtime/context/claims.h"
#include "runtime/context/events.h"
#include "runtime/context/reclaim.h"
#include "runtime/context/runtime.h"
#include "runtime/context/verify.h"

namespace bigfoot::rt {
namespace {

void forget_word(void*, uptr word) {
  SyncTable::Bucket& bucket = runtime.syncs.bucket(word);
  SpinGuard guard(bucket.lock);
  bucket.remove_word(word);
}

// Blocks of the heap own their padding up to the next word; those that may be arrays up to the next
// line, so that no claim from before (shadow/claims.h) outlives the beginning of an array.
ByteRange with_padding(ByteRange r) {
  const uptr unit = r.size >= heap::kMinNumberedBytes ? heap::kLine : 8;
  const uptr end = (r.end() + unit - 1) & ~(unit - 1);
  return {r.begin, end - r.begin};
}

void forget_settled(Thread& t, ByteRange r) {
  t.settled.forget(r.begin, r.end());
  SettledBytes::forget(__bf_thread, r.begin, r.end());
}

// Nobody's checks reach across the end of the range.
void forget_range(Thread& t, ByteRange range) {
  verify_memory_ends(t, range);
  forget_settled(t, range);
  forget_settled_everywhere(range);
}

// Whether another thread may have used a block since it was freed, in an epoch that lasts. Nobody
// should, but who does it again when the block is somebody's is to be told. Most blocks are handed
// out to the thread that has freed them (heap/thread_cache.h). Larger ones may have been arrays,
// with a history elsewhere.
bool others_may_remember(const Thread& t, ByteRange block) {
  if (runtime.single) return false;
  return block.size >= heap::kMinNumberedBytes || !is_only_of(block, t.stamp);
}

// Objects in bytes whose word goes on existing for others.
void forget_objects_in_part(uptr begin, uptr end) {
  if (begin >= end) return;
  const Cell* word = shadow::cell_if_present<8>(begin);
  if (word == nullptr || !load_cell(word).has_sync()) return;
  SyncVar* gone = nullptr;
  SyncTable::Bucket& bucket = runtime.syncs.bucket(begin);
  SpinGuard guard(bucket.lock);
  bucket.take({begin, end - begin}, gone);
  while (gone != nullptr) {
    SyncVar* next = gone->next;
    SyncTable::Bucket::destroy(gone);
    gone = next;
  }
}

void clear_with_objects(ByteRange r) {
  if (r.size == 0) return;
  const uptr begin = r.begin, end = r.end(), first = (begin + 7) & ~uptr{7}, last = end & ~uptr{7};
  if (first <= last) {
    forget_objects_in_part(begin, first);
    forget_objects_in_part(last, end);
  } else {
    forget_objects_in_part(begin, end);
  }
  clear_history(r, forget_word, nullptr);
}

// Objects on the way to their new address.
struct Moving {
  SyncVar* objects = nullptr;
  bool keep;  // copied, the old ones stay
};

void take_objects(void* context, ByteRange source) {
  auto& moving = *static_cast<Moving*>(context);
  SyncTable::Bucket& bucket = runtime.syncs.bucket(source.begin);
  SpinGuard guard(bucket.lock);
  if (moving.keep)
    bucket.copy(source, moving.objects);
  else
    bucket.take(source, moving.objects);
}

void put_objects(Moving& moving, uptr shift) {
  while (SyncVar* v = moving.objects) {
    moving.objects = v->next;
    v->address += shift;
    {
      SyncTable::Bucket& bucket = runtime.syncs.bucket(v->address);
      SpinGuard guard(bucket.lock);
      bucket.put(v);
    }
    share_for_object(v->address);
    mark_sync(v->address);
  }
}

// To both places something happens that no check may be moved across. True if the history is where
// it belongs then; else it is in the planes.
bool memory_transferred(Thread& t, uptr from, uptr to, usize bytes, Transferred how) {
  forget_range(t, {from, bytes});
  forget_range(t, {to, bytes});
  if (BF_LIKELY(!runtime.arrays_on)) return false;
  if (transfer_arrays(t, from, to, bytes, how)) return true;
  arrays_into_planes(t, {from, bytes});
  arrays_into_planes(t, {to, bytes});
  return false;
}

}  // namespace

void forget_settled_everywhere(ByteRange r) {
  fetch_add(&runtime.memory_generation, 1u);
  const auto forget = [](void* range, abi::ThreadHot& hot) {
    const auto& gone = *static_cast<const ByteRange*>(range);
    SettledBytes::forget(hot, gone.begin, gone.end());
  };
  if (!runtime.single) for_each_os_thread(forget, &r);
}

void memory_allocated(Thread& t, ByteRange block, Pc) {
  RuntimeScope scope;
  verify_memory_ends(t, block);
  forget_settled(t, block);
  const bool remembered = others_may_remember(t, block);
  if (BF_UNLIKELY(runtime.arrays_on)) array_begins(t, block);
  clear_history(with_padding(block), forget_word, nullptr);
  if (BF_UNLIKELY(remembered)) forget_settled_everywhere(block);
}

void memory_freed(Thread& t, ByteRange block, Pc pc) {
  RuntimeScope scope;
  verify_memory_ends(t, block);
  forget_settled(t, block);
  if (BF_UNLIKELY(runtime.arrays_on)) array_ends(t, block);
  access_range(t, block, AccessKind::kFree, pc);
  // Locks and atomics end with their memory; what the cells say of the free itself stays until the
  // memory is handed out again.
  if (!runtime.single) return;
  if (BF_UNLIKELY(runtime.arrays_on)) array_begins(t, block);
  clear_history(with_padding(block), forget_word, nullptr);
}

void memory_cleared(Thread& t, ByteRange range) {
  RuntimeScope scope;
  forget_range(t, range);
  if (BF_UNLIKELY(runtime.arrays_on)) clear_arrays(t, range);
  // Others may be at the rest of the words at its ends.
  if ((range.begin & 7) != 0 && range.size != 0) obtain(t, {range.begin, 1});
  if ((range.end() & 7) != 0 && range.size != 0) obtain(t, {range.end() - 1, 1});
  clear_with_objects(range);
  // Others who were at the rest may have found in a cell what has been cleared since.
  forget_settled_everywhere(range);
}

void memory_unmapped(Thread& t, ByteRange range) {
  RuntimeScope scope;
  forget_range(t, range);
  if (BF_UNLIKELY(runtime.arrays_on)) array_memory_ends(t, range);
  clear_with_objects(range);
}

void stack_begins(Thread& t, ByteRange stack) {
  RuntimeScope scope;
  forget_range(t, stack);
  if (BF_UNLIKELY(runtime.arrays_on)) no_array_any_more(t, stack);
  clear_with_objects(stack);
}

void memory_mapped(Thread& t, ByteRange range, MappedFor use, Pc pc) {
  RuntimeScope scope;
  memory_unmapped(t, range);
  if (BF_UNLIKELY(runtime.arrays_on) && use == MappedFor::kArrays)
    array_memory_begins(t, range, pc);
}

void memory_moved(Thread& t, uptr from, uptr to, usize bytes) {
  RuntimeScope scope;
  if (memory_transferred(t, from, to, bytes, Transferred::kMoved)) return;
  obtain_for_transfer(t, {from, bytes}, to, Transferred::kMoved);
  Moving moving{.keep = false};
  move_history(from, to, bytes, {&moving, forget_word, take_objects});
  put_objects(moving, to - from);
  forget_settled_everywhere({from, bytes});  // as in memory_cleared()
  forget_settled_everywhere({to, bytes});
}

void memory_copied(Thread& t, uptr from, uptr to, usize bytes) {
  RuntimeScope scope;
  if (memory_transferred(t, from, to, bytes, Transferred::kCopied)) return;
  obtain_for_transfer(t, {from, bytes}, to, Transferred::kCopied);
  Moving moving{.keep = true};
  copy_history(from, to, bytes, {&moving, forget_word, take_objects});
  put_objects(moving, to - from);
  forget_settled_everywhere({from, bytes});  // as in memory_cleared()
  forget_settled_everywhere({to, bytes});
}

}  // namespace bigfoot::rt
