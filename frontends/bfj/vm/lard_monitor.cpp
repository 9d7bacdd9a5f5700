#include "frontends/bfj/vm/lard_monitor.h"

#include <csignal>

#include "frontends/bfj/vm/space.h"

namespace bigfoot::vm {
namespace {

thread_local bf_lard_thread worker_itself = 0;

const void* pointer(std::uintptr_t address) {
  return reinterpret_cast<const void*>(address);
}
const bfj::Code::Instruction* instruction(const void* site) {
  return static_cast<const bfj::Code::Instruction*>(site);
}

}  // namespace

LardMonitor::LardMonitor(OnRace on_race) : on_race_(on_race) {
  bf_lard_untracked_begin(BF_LARD_ALL);
  bf_lard_on_race(told, this, BF_LARD_TELL);
}

// The region of a thread of the program is ended by whoever runs as it.
void LardMonitor::end(const Identity& green) {
  if (green.started) {
    const bf_lard_thread me = bf_lard_thread_current();
    bf_lard_thread_switch(green.thread, BF_LARD_SAME_STACK);
    bf_lard_untracked_end(BF_LARD_ALL);
    bf_lard_thread_switch(me, BF_LARD_SAME_STACK);
  }
  bf_lard_thread_destroy(green.thread);
}

LardMonitor::~LardMonitor() {
  bf_lard_on_race(nullptr, nullptr, BF_LARD_TELL);
  for (const auto& g : greens_)
    if (g != nullptr) end(*g);
  bf_lard_untracked_end(BF_LARD_ALL);
}

int LardMonitor::told(const bf_lard_race* race, void* self) {
  auto& me = *static_cast<LardMonitor*>(self);
  std::lock_guard<std::mutex> guard(me.races_lock_);
  me.races_.insert({instruction(race->current.site), instruction(race->previous.site)});
  return BF_LARD_QUIET;
}

LardMonitor::Identity& LardMonitor::identity(std::uint32_t green) {
  std::lock_guard<std::mutex> guard(lock_);
  if (greens_.size() <= green) greens_.resize(green + 1);
  if (greens_[green] == nullptr) greens_[green] = std::make_unique<Identity>();
  return *greens_[green];
}

Verdict LardMonitor::access(const Actor&, const ProgramAccess& a) {
  const void* p = pointer(a.address);
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  int result = BF_LARD_OK;
  if (on_race_ == OnRace::Report)
    result = a.writes ? bf_lard_write_at(p, kWord, a.site) : bf_lard_read_at(p, kWord, a.site);
  else
    result =
        a.writes ? bf_lard_try_write_at(p, kWord, a.site) : bf_lard_try_read_at(p, kWord, a.site);
  if (result != BF_LARD_RACE) return Verdict::Fine;
  {
    std::lock_guard<std::mutex> guard(lock_);
    locations_.insert(a.where);
  }
  if (on_race_ == OnRace::Trap) std::raise(SIGTRAP);
  return on_race_ == OnRace::Report ? Verdict::Fine : Verdict::Race;
}

void LardMonitor::acquire(const Actor&, const ProgramSync& s) {
  bf_lard_acquire(pointer(s.address));
}
void LardMonitor::release(const Actor&, const ProgramSync& s) {
  bf_lard_release(pointer(s.address));
}

// The interpreter's stack is the worker's: the smallest size there is.
void LardMonitor::forked(const Actor&, std::uint32_t child) {
  identity(child).thread = bf_lard_thread_create(1);
}
void LardMonitor::joined(const Actor&, std::uint32_t child) {
  bf_lard_acquire(&identity(child).end);
}
void LardMonitor::ending(const Actor& who) {
  bf_lard_release(&identity(who.green).end);
}

void LardMonitor::resumed(const Actor& who) {
  Identity& me = identity(who.green);
  const bool starts = !me.started;
  me.started = true;
  // Between these two calls what is done here counts as done by the program: nothing is.
  bf_lard_thread_switch(me.thread, BF_LARD_SAME_STACK);
  if (starts) bf_lard_untracked_begin(BF_LARD_ALL);
}
void LardMonitor::suspended(const Actor&) {
  bf_lard_thread_switch(worker_itself, BF_LARD_SAME_STACK);
}

void LardMonitor::freed(const Actor&, std::span<const Memory> blocks) {
  std::vector<bf_lard_range> ranges;
  for (const Memory& m : blocks) ranges.push_back({pointer(m.begin), m.bytes});
  bf_lard_clear_all(ranges.data(), ranges.size());
}
void LardMonitor::copied(const Actor&, std::span<const Move> moves) {
  std::vector<bf_lard_transfer> transfers;
  for (const Move& m : moves) transfers.push_back({pointer(m.from), pointer(m.to), m.bytes});
  bf_lard_copy_all(transfers.data(), transfers.size());
}

void LardMonitor::worker_started(std::uint32_t) {
  worker_itself = bf_lard_thread_current();
  bf_lard_untracked_begin(BF_LARD_ALL);
}
void LardMonitor::worker_ending(std::uint32_t) {
  bf_lard_untracked_end(BF_LARD_ALL);
}

}  // namespace bigfoot::vm
