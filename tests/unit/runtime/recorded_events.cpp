#include "tests/unit/runtime/recorded_events.h"

#include <atomic>
#include <cstring>
#include <string_view>

#include "runtime/context/thread.h"
#include "runtime/context/verify.h"
#include "runtime/intercept/intercept.h"
#include "runtime/intercept/interceptor.h"

extern "C" {
constinit thread_local bigfoot::abi::ThreadHot __bf_thread = {};
}

namespace bigfoot::rt {

constinit SettledBlock SettledBytes::none[kCount] = {};

struct Ticket {
  u32 id;
};

namespace testing {
namespace {

struct Watch {
  std::string what;
  uptr object;
  std::function<void()> action;
};

std::atomic<bool> recording{false};
std::atomic<u32> next_thread{1};
SpinLock lock;  // guards the two below; a std::mutex would be intercepted
std::vector<Event>* events;
std::vector<Watch>* watches;

thread_local u32 own_thread = 0;
thread_local u32 inside = 0;
thread_local char thread_identity;

struct Inside {
  Inside() { ++inside; }
  ~Inside() { --inside; }
};

void record(std::string_view what, uptr object, usize size = 0) {
  Inside scope;
  std::vector<std::function<void()>> actions;
  {
    SpinGuard guard(lock);
    if (events == nullptr) return;
    events->push_back({own_thread, std::string(what), object, size});
    for (const Watch& w : *watches)
      if (w.what == what && w.object == object) actions.push_back(w.action);
  }
  for (auto& action : actions) action();
}

std::string thread_text(const Event& e) {
  return "T" + std::to_string(e.thread) + " ";
}

std::vector<Event> copy_events() {
  Inside scope;
  SpinGuard guard(lock);
  return *events;
}

}  // namespace

Recording::Recording() {
  static bool started = [] {
    intercept::initialise();
    return true;
  }();
  (void)started;
  events = new std::vector<Event>;
  watches = new std::vector<Watch>;
  next_thread = 1;
  own_thread = 0;
  recording = true;
}
Recording::~Recording() {
  recording = false;
  SpinGuard guard(lock);
  delete events;
  delete watches;
  events = nullptr;
  watches = nullptr;
}

std::vector<std::string> Recording::on(const volatile void* object) const {
  Inside scope;
  std::vector<std::string> found;
  for (const Event& e : copy_events())
    if (e.object == reinterpret_cast<uptr>(object)) found.push_back(thread_text(e) + e.what);
  return found;
}

std::vector<std::string> Recording::in(const volatile void* begin, usize bytes) const {
  Inside scope;
  std::vector<std::string> found;
  for (const Event& e : copy_events()) {
    uptr offset = e.object - reinterpret_cast<uptr>(begin);
    if (offset < bytes && e.size != 0)
      found.push_back(thread_text(e) + e.what + " " + std::to_string(offset) + ".." +
                      std::to_string(offset + e.size));
  }
  return found;
}

std::vector<std::string> Recording::named(const std::string& what) const {
  Inside scope;
  std::vector<std::string> found;
  for (const Event& e : copy_events())
    if (e.what == what) found.push_back(thread_text(e) + std::to_string(e.object));
  return found;
}

usize Recording::count(const std::string& what) const {
  return named(what).size();
}

void Recording::at(const std::string& what, const volatile void* object, std::function<void()> f) {
  Inside scope;
  SpinGuard guard(lock);
  watches->push_back({what, reinterpret_cast<uptr>(object), std::move(f)});
}

InsideRuntime::InsideRuntime() {
  ++inside;
}
InsideRuntime::~InsideRuntime() {
  --inside;
  deliver_pending_signals();
}

}  // namespace testing

using testing::record;

// Nothing is verified here.
verify::Trace* verify_handler_begins() {
  return nullptr;
}
void verify_handler_ends(verify::Trace*) {}

Thread& current_thread() {
  return reinterpret_cast<Thread&>(testing::thread_identity);
}
bool inside_runtime() {
  return !testing::recording || testing::inside != 0;
}

void access_range(Thread&, ByteRange b, AccessKind kind, Pc) {
  record(kind == AccessKind::kRead ? "access read" : "access write", b.begin, b.size);
}
Origin origin_of(Thread&, Pc pc) {
  return Origin{static_cast<u32>(pc)};
}
ThreadId id_of(const Thread&) {
  return ThreadId{testing::own_thread};
}

void memory_allocated(Thread&, ByteRange b, Pc) {
  record("memory_allocated", b.begin, b.size);
}
void memory_freed(Thread&, ByteRange b, Pc) {
  record("memory_freed", b.begin, b.size);
}
void memory_cleared(Thread&, ByteRange b) {
  record("memory_cleared", b.begin, b.size);
}
void memory_mapped(Thread&, ByteRange b, MappedFor use, Pc) {
  record(use == MappedFor::kArrays ? "array_mapped" : "memory_mapped", b.begin, b.size);
}
void memory_unmapped(Thread&, ByteRange b) {
  record("memory_unmapped", b.begin, b.size);
}
void stack_begins(Thread&, ByteRange b) {
  record("stack_begins", b.begin, b.size);
}
void memory_moved(Thread&, uptr from, uptr to, usize bytes) {
  record("memory_moved from", from, bytes);
  record("memory_moved to", to, bytes);
}

void release(Thread&, uptr o, Pc) {
  record("release", o);
}
void synchronising(Thread&) {}
void tried(Thread&, uptr o) {
  testing::last_tried = o;
}
void release_store(Thread&, uptr o, Pc) {
  record("release_store", o);
}
void acquire(Thread&, uptr o, Pc) {
  record("acquire", o);
}
void forget_object(Thread&, uptr o) {
  record("forget", o);
}

void mutex_created(Thread&, uptr m, bool recursive, Pc) {
  record(recursive ? "mutex_created recursive" : "mutex_created", m);
}
void mutex_destroyed(Thread&, uptr m, Pc) {
  record("mutex_destroyed", m);
}
void mutex_locked(Thread&, uptr m, LockMode mode, Pc) {
  record(mode == LockMode::kRead ? "mutex_locked read" : "mutex_locked write", m);
}
void mutex_unlocking(Thread&, uptr m, Pc) {
  record("mutex_unlocking", m);
}
void mutex_repaired(Thread&, uptr m, Pc) {
  record("mutex_repaired", m);
}
u32 mutex_release_all(Thread&, uptr m, Pc) {
  record("mutex_release_all", m);
  return 3;
}
void mutex_reacquire(Thread&, uptr m, u32 count, Pc) {
  testing::Inside scope;
  record("mutex_reacquire " + std::to_string(count), m);
}

void barrier_arrive(Thread&, uptr b, Pc) {
  record("barrier_arrive", b);
}
void barrier_depart(Thread&, uptr b, Pc) {
  record("barrier_depart", b);
}

void fd_release(Thread&, int fd, Pc) {
  record("fd_release", static_cast<uptr>(fd));
}
void fd_acquire(Thread&, int fd, Pc) {
  record("fd_acquire", static_cast<uptr>(fd));
}
void fd_closed(Thread&, int fd, Pc) {
  record("fd_closed", static_cast<uptr>(fd));
}
void fd_duplicated(Thread&, int from, int to, Pc) {
  testing::Inside scope;
  record("fd_duplicated from " + std::to_string(from), static_cast<uptr>(to));
}
void fd_paired(Thread&, int a, int b, Pc) {
  testing::Inside scope;
  record("fd_paired with " + std::to_string(b), static_cast<uptr>(a));
}

// Thread events carry the thread's number as their object.
Ticket* thread_creating(Thread&, Pc, bool detached) {
  testing::Inside scope;
  auto* t = new Ticket{testing::next_thread++};
  record(detached ? "thread_creating detached" : "thread_creating", t->id);
  return t;
}
void thread_creation_failed(Ticket* t) {
  record("thread_creation_failed", t->id);
  testing::Inside scope;
  delete t;
}
void thread_started(Ticket* t, ByteRange stack, ByteRange tls) {
  testing::own_thread = t->id;
  int local;
  bool stack_right = stack.contains(reinterpret_cast<uptr>(&local));
  bool tls_right = tls.contains(reinterpret_cast<uptr>(&testing::thread_identity));
  record(stack_right && tls_right ? "thread_started" : "thread_started with wrong memory", t->id);
  testing::Inside scope;
  delete t;
}
ThreadId thread_of(const Ticket* t) {
  return ThreadId{t->id};
}
void thread_finishing(Thread&) {
  record("thread_finishing", testing::own_thread);
}
void thread_joined(Thread&, ThreadId id, Pc) {
  record("thread_joined", static_cast<uptr>(id));
}
void thread_detached(Thread&, ThreadId id, Pc) {
  record("thread_detached", static_cast<uptr>(id));
}
void thread_named(Thread&, ThreadId id, const char* name) {
  testing::Inside scope;
  record(std::string("thread_named ") + name, static_cast<uptr>(id));
}

void process_forking(Thread&) {
  record("process_forking", 0);
}
void process_forked_parent(Thread&) {
  record("process_forked_parent", 0);
}
void process_forked_child(Thread&) {
  record("process_forked_child", 0);
}
void race_listener_left() {
  record("race_listener_left", 0);
}
void main_ending() {
  record("main_ending", 0);
}
int process_ending(int wanted) {
  record("process_ending", static_cast<uptr>(wanted));
  return testing::recording ? wanted + testing::kExitCodeOffset : wanted;
}

struct Fiber {};
Fiber* fiber_current() {
  return reinterpret_cast<Fiber*>(&testing::thread_identity);
}
Fiber* fiber_create(Thread&, usize, Pc) {
  testing::Inside scope;
  auto* f = new Fiber;
  record("fiber_create", reinterpret_cast<uptr>(f));
  return f;
}
void fiber_destroy(Thread&, Fiber* f, Pc) {
  record("fiber_destroy", reinterpret_cast<uptr>(f));
  testing::Inside scope;
  delete f;
}
void fiber_switch(Thread&, Fiber* f, FiberSwitch how, Pc) {
  record(how.ordered ? "fiber_switch" : "fiber_switch unordered", reinterpret_cast<uptr>(f));
}
void fiber_named(Fiber* f, const char* name) {
  testing::Inside scope;
  record(std::string("fiber_named ") + name, reinterpret_cast<uptr>(f));
}

// Ignoring has no object; it is recorded under address 0.
void ignore_accesses_begin(Thread&) {
  record("ignore_accesses_begin", 0);
}
void ignore_accesses_end(Thread&) {
  record("ignore_accesses_end", 0);
}
void ignore_sync_begin(Thread&) {
  record("ignore_sync_begin", 0);
}
void ignore_sync_end(Thread&) {
  record("ignore_sync_end", 0);
}

}  // namespace bigfoot::rt
