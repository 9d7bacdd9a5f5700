// System V semaphores and message queues, named by their numbers in the kernel.
//
// Adding to a semaphore is before the subtraction it lets through. Subtracting is before the return
// of who waits for zero, by an object of its own: two who subtract are not ordered by that.
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <time.h>

#include "runtime/intercept/interceptor.h"

using namespace bigfoot::rt;
using namespace bigfoot::rt::intercept;

namespace {

// Objects where no program's memory is (descriptors have 2^60 upwards, connections 2^61).
enum class Kind : u64 { kAdded, kSubtracted, kMessages };
uptr object_of(Kind kind, int id, unsigned number) {
  return uptr{1} << 62 | static_cast<u64>(kind) << 56 |
         static_cast<u64>(static_cast<u32>(id)) << 20 | number << 3;
}

void before_operations(const Call& call, int id, const sembuf* operations, usize n) {
  for (usize i = 0; call && i < n; ++i) {
    const sembuf& o = operations[i];
    if (o.sem_op == 0) continue;
    const Kind kind = o.sem_op > 0 ? Kind::kAdded : Kind::kSubtracted;
    release(call.thread(), object_of(kind, id, o.sem_num), call.pc());
  }
}
int after_operations(const Call& call, int id, const sembuf* operations, usize n, int result) {
  for (usize i = 0; call && result == 0 && i < n; ++i) {
    const sembuf& o = operations[i];
    if (o.sem_op > 0) continue;
    const Kind kind = o.sem_op < 0 ? Kind::kAdded : Kind::kSubtracted;
    acquire(call.thread(), object_of(kind, id, o.sem_num), call.pc());
  }
  return result;
}

}  // namespace

BF_INTERCEPTOR(int, semop, int id, sembuf* operations, usize n) {
  const Call call(BF_PC());
  before_operations(call, id, operations, n);
  return after_operations(call, id, operations, n, real_semop(id, operations, n));
}
BF_INTERCEPTOR(int, semtimedop, int id, sembuf* operations, usize n, const timespec* timeout) {
  const Call call(BF_PC());
  before_operations(call, id, operations, n);
  return after_operations(call, id, operations, n, real_semtimedop(id, operations, n, timeout));
}
// Setting a value may let waiters of both kinds through. The argument is a union of word size.
BF_INTERCEPTOR(int, semctl, int id, int number, int command, long argument) {
  const auto n = static_cast<unsigned>(number);
  if (const Call call(BF_PC()); call && command == SETVAL) {
    release(call.thread(), object_of(Kind::kAdded, id, n), call.pc());
    release(call.thread(), object_of(Kind::kSubtracted, id, n), call.pc());
  }
  return real_semctl(id, number, command, argument);
}

BF_INTERCEPTOR(int, msgsnd, int id, const void* message, usize n, int flags) {
  if (const Call call(BF_PC()); call)
    release(call.thread(), object_of(Kind::kMessages, id, 0), call.pc());
  return real_msgsnd(id, message, n, flags);
}
BF_INTERCEPTOR(ssize_t, msgrcv, int id, void* message, usize n, long type, int flags) {
  const Call call(BF_PC());
  const ssize_t result = real_msgrcv(id, message, n, type, flags);
  if (call && result >= 0) acquire(call.thread(), object_of(Kind::kMessages, id, 0), call.pc());
  return result;
}
