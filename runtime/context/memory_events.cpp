// Memory that begins, ends or moves.
#include "runtime/context/events.h"
#include "runtime/context/runtime.h"
#include "runtime/context/verify.h"

namespace bigfoot::rt {
namespace {

void forget_word(void*, uptr word) {
  SyncTable::Bucket& bucket = runtime.syncs.bucket(word);
  SpinGuard guard(bucket.lock);
  bucket.remove_word(word);
}

// Blocks of the heap own their padding up to the next word.
ByteRange whole_words(ByteRange r) {
  uptr end = (r.end() + 7) & ~uptr{7};
  return {r.begin, end - r.begin};
}

void forget_settled(Thread& t, ByteRange r) {
  t.settled.forget(r.begin, r.end());
}

}  // namespace

void memory_allocated(Thread& t, ByteRange block, Pc) {
  RuntimeScope scope;
  verify_memory_ends(t, block);
  forget_settled(t, block);
  clear_history(whole_words(block), forget_word, nullptr);
}

void memory_freed(Thread& t, ByteRange block, Pc pc) {
  RuntimeScope scope;
  verify_memory_ends(t, block);
  forget_settled(t, block);
  access_range(t, block, AccessKind::kFree, pc);
  // Locks and atomics end with their memory; what the cells say of the free itself stays until the
  // memory is handed out again.
  if (runtime.single) clear_history(whole_words(block), forget_word, nullptr);
}

void memory_cleared(Thread& t, ByteRange range) {
  RuntimeScope scope;
  verify_memory_ends(t, range);
  forget_settled(t, range);
  clear_history(range, forget_word, nullptr);
}

void memory_moved(Thread& t, uptr from, uptr to, usize bytes) {
  RuntimeScope scope;
  verify_memory_ends(t, {from, bytes});
  verify_memory_ends(t, {to, bytes});
  forget_settled(t, {from, bytes});
  forget_settled(t, {to, bytes});
  move_history(from, to, bytes);
}

}  // namespace bigfoot::rt
