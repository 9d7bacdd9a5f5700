#include "frontends/bfj/vm/vm.h"

#include <atomic>
#include <latch>
#include <thread>

#include "frontends/bfj/vm/heap.h"
#include "frontends/bfj/vm/interpreter.h"
#include "frontends/bfj/vm/scheduler.h"
#include "frontends/bfj/vm/world.h"

namespace bigfoot::vm {
namespace {

std::unique_ptr<Heap> make_heap(const VmOptions& options, Monitor& monitor) {
  if (options.collector == Collector::Semispace) return make_semispace(monitor, options.heap_bytes);
  return make_mark_sweep(monitor, options.heap_bytes,
                         options.collector == Collector::ConcurrentMarkSweep);
}

class Vm final : public Services {
 public:
  Vm(const bfj::CompiledProgram& compiled, const VmOptions& options, Monitor& monitor)
      : compiled_(compiled),
        options_(options),
        monitor_(monitor),
        heap_(make_heap(options, monitor)),
        world_(monitor),
        scheduler_(monitor, options.always_migrate),
        cycles_lock_(monitor),
        together_(options.workers),
        interpreter_(compiled, *this, monitor) {}

  VmResult run(const bfj::Program& program) {
    const Actor main{Actor::kNobody, options_.workers + 1};
    if (!make_threads(program, main)) {
      VmResult r = result();
      r.ending = Ending::OutOfMemory;
      r.faults = {"the shared objects: out of memory"};
      return r;
    }
    std::vector<std::thread> workers;
    for (std::uint32_t w = 0; w < options_.workers; ++w)
      workers.emplace_back([this, w] { work(w); });
    std::thread collector;
    if (heap_->marks_concurrently()) collector = std::thread([this] { collect_on_request(); });
    for (std::thread& t : workers) t.join();
    if (collector.joinable()) {
      {
        SystemMutex::Guard guard(cycles_lock_, main);
        over_ = true;
        cycles_changed_.notify_all();
      }
      collector.join();
    }
    return result();
  }

  // ---- Services ----

  Object* allocate(const Actor& who, std::uint32_t units, bool is_array) override {
    const std::uint64_t n = allocations_.fetch_add(1) + 1;
    const bool due = options_.collect_every != 0 && n % options_.collect_every == 0;
    if (due && heap_->marks_concurrently())
      request_cycle(who);
    else if (due)
      collect(who);
    for (int attempt = 0;; ++attempt) {
      Object* o = heap_->allocate(who, units, is_array);
      if (o != nullptr || attempt == kAttempts) return o;
      heap_->marks_concurrently() ? wait_for_cycle(who) : collect(who);
    }
  }
  void overwriting(const Actor& who, Value old) override { heap_->overwriting(who, old); }
  void safepoint(const Actor& who) override { world_.safepoint(who); }
  Green& create(const Actor& who) override { return scheduler_.create(who, options_.seed); }
  void start(const Actor& who, Green& child) override { scheduler_.ready(who, child); }
  bool has_ended(const Actor& who, std::uint32_t thread) override {
    return scheduler_.has_ended(who, thread);
  }
  void lock_released(const Actor& who) override { scheduler_.changed(who); }

 private:
  // Others may use up what a collection has freed before we get at it.
  static constexpr int kAttempts = 20;

  // False if there is no room for what the threads share.
  bool make_threads(const bfj::Program& program, const Actor& main) {
    std::map<std::string, std::size_t> shared;
    bool fits = true;
    const auto add = [&](const std::string& name, std::size_t units, bool is_array) {
      shared.emplace(name, shared_.size());
      Object* o = heap_->allocate(main, static_cast<std::uint32_t>(units), is_array);
      fits &= o != nullptr;
      shared_.push_back(o == nullptr ? Value() : Value::object(o));
    };
    for (const bfj::Shared& s : program.shared)
      add(s.name, s.length ? static_cast<std::size_t>(*s.length) : compiled_.fields.size(),
          s.length.has_value());
    for (std::size_t i = compiled_.first_thread; i < compiled_.code.size(); ++i) {
      const bfj::Code& code = *compiled_.code[i];
      Frame f;
      f.code = &code;
      f.slots.resize(code.slots.size());
      for (const auto& [name, slot] : bfj::shared_variables(code)) {
        if (!shared.contains(name)) add(name, compiled_.fields.size(), false);
        f.slots[static_cast<std::size_t>(slot)] = shared_[shared.at(name)];
      }
      Green& green = scheduler_.create(main, options_.seed);
      green.frames.push_back(std::move(f));
      monitor_.forked(main, green.id);
      scheduler_.ready(main, green);
    }
    return fits;
  }

  // ---- workers ----

  void work(std::uint32_t worker) {
    monitor_.worker_started(worker);
    together_
        .arrive_and_wait();  // or one of them has done all the work before the next one is there
    const Actor self{Actor::kNobody, worker};
    while (Green* green = scheduler_.next(self)) {
      world_.enter(self);
      turn(*green, self);
    }
    monitor_.worker_ending(worker);
  }

  void turn(Green& green, const Actor& self) {
    const Actor who{green.id, self.worker};
    const std::uint64_t changes = scheduler_.changes(self);
    monitor_.resumed(who);
    Progress p = interpreter_.run(green, who, options_.quantum);
    if (options_.max_instructions != 0 && green.instructions > options_.max_instructions &&
        !green.frames.empty()) {
      green.fault = "out of instructions";
      green.frames.clear();
      p = Progress::Ended;
    }
    if (green.frames.empty()) monitor_.ending(who);
    monitor_.suspended(who);
    world_.leave(self);
    if (p == Progress::Ended) return scheduler_.ended(self, green);
    if (p == Progress::OutOfMemory) {
      out_of_memory_.store(true);
      return scheduler_.end_all(self, green);
    }
    if (p == Progress::Blocked) return scheduler_.blocked(self, green, changes);
    scheduler_.yielded(self, green);
  }

  // ---- collections ----

  Roots roots() {
    return [this](const std::function<void(Value&)>& visit) {
      for (Value& v : shared_) visit(v);
      for (const auto& green : scheduler_.greens())
        for (Frame& f : green->frames)
          for (Value& v : f.slots) visit(v);
    };
  }

  // By a worker that is inside the world, while the others stand still.
  void collect(const Actor& who) {
    const std::uint64_t seen = collections_.load();
    world_.leave(who);
    world_.stop(who);
    if (collections_.load() == seen) {
      heap_->collect(who, roots());
      collections_.fetch_add(1);
    }
    world_.resume(who);
    world_.enter(who);
  }

  void request_cycle(const Actor& who) {
    SystemMutex::Guard guard(cycles_lock_, who);
    requested_ = true;
    cycles_changed_.notify_all();
  }
  void wait_for_cycle(const Actor& who) {
    world_.leave(who);
    {
      SystemMutex::Guard guard(cycles_lock_, who);
      const std::uint64_t seen = collections_.load();
      requested_ = true;
      cycles_changed_.notify_all();
      guard.wait(cycles_changed_, [&] { return collections_.load() != seen; });
    }
    world_.enter(who);
  }

  void collect_on_request() {
    const Actor self{Actor::kNobody, options_.workers};
    monitor_.worker_started(self.worker);
    for (;;) {
      {
        SystemMutex::Guard guard(cycles_lock_, self);
        guard.wait(cycles_changed_, [&] { return requested_ || over_; });
        if (over_) break;
        requested_ = false;
      }
      world_.stop(self);
      heap_->begin_marking(self, roots());
      world_.resume(self);
      heap_->mark_concurrently(self);
      world_.stop(self);
      heap_->collect(self, roots());
      world_.resume(self);
      SystemMutex::Guard guard(cycles_lock_, self);
      collections_.fetch_add(1);
      cycles_changed_.notify_all();
    }
    monitor_.worker_ending(self.worker);
  }

  VmResult result() const {
    VmResult r;
    r.threads = scheduler_.greens().size();
    for (const auto& green : scheduler_.greens()) {
      r.instructions += green->instructions;
      if (!green->fault.empty())
        r.faults.push_back("thread " + std::to_string(green->id) + ": " + green->fault);
    }
    r.allocations = allocations_;
    r.collections = collections_;
    r.migrations = scheduler_.migrations();
    r.ending = out_of_memory_            ? Ending::OutOfMemory
               : scheduler_.deadlocked() ? Ending::Deadlock
                                         : Ending::AllThreadsEnded;
    r.heap = heap_->spaces();
    return r;
  }

  const bfj::CompiledProgram& compiled_;
  const VmOptions& options_;
  Monitor& monitor_;
  std::unique_ptr<Heap> heap_;
  World world_;
  Scheduler scheduler_;
  std::vector<Value> shared_;  // roots; changed only with the world stopped
  std::atomic<std::uint64_t> allocations_ = 0, collections_ = 0;
  std::atomic<bool> out_of_memory_ = false;

  SystemMutex cycles_lock_;  // guards the next three
  std::condition_variable cycles_changed_;
  bool requested_ = false;
  bool over_ = false;

  std::latch together_;
  Interpreter interpreter_;
};

}  // namespace

VmResult run(const bfj::Program& program, const bfj::CompiledProgram& compiled,
             const VmOptions& options, Monitor& monitor) {
  return Vm(compiled, options, monitor).run(program);
}

}  // namespace bigfoot::vm
