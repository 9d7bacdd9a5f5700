// The shadow of an array: what a check of all of it costs by its size, and what threads that divide
// an array among themselves cost each other.
//
//   array_bench                       both curves
//   array_bench --benchmark_filter=whole
#include <benchmark/benchmark.h>

#include <memory>

#include "runtime/array/array_shadow.h"
#include "runtime/clock/slots.h"

namespace bigfoot::rt {
namespace {

struct Tables {
  StampTable stamps;
  SlotTable slots;
  OriginDepot depot;
  ReadSets sets;
  Tables() {
    stamps.initialise();
    slots.initialise();
    depot.initialise();
    sets.initialise();
  }
};
Tables& tables() {
  static Tables t;
  return t;
}

// A thread as far as commits need it, at one place of its program.
class Committer {
 public:
  Committer() {
    static const VectorClock kNothing;
    BF_CHECK(tables().slots.take(kNothing, ThreadId{1}, tables().stamps, lease_));
  }
  void commit(ArrayShadow& array, const Footprint& f, SpinLock& lock) {
    Accessor who{{knows_, lease_.slot, lease_.stamp, tables().stamps},
                 tables().sets,
                 share_cache_,
                 origins_,
                 tables().depot,
                 {0x1000, &bottom_, kNoLocks, AccessKind::kWrite, f.width},
                 nullptr,
                 {nullptr, nullptr}};
    Commit c(who, f, true);
    Footprint rest;
    SpinGuard guard(lock);
    array.commit(c, rest);
    benchmark::DoNotOptimize(rest);
  }
  // A release: what follows is another epoch, so that commits have something to do.
  void tick() {
    lease_.stamp = tables().stamps.next(lease_.stamp, {lease_.slot, lease_.clock});
    knows_.set(lease_.slot, lease_.clock++);
  }

 private:
  VectorClock knows_;
  SlotLease lease_;
  abi::Frame bottom_{0, 0};
  OriginCache origins_{};
  ReadShareCache share_cache_;
};

constexpr uptr kBase = uptr{1} << 40;

void whole_array(benchmark::State& state) {
  const auto bytes = static_cast<usize>(state.range(0));
  ArrayShadow array{};
  array.start({kBase, bytes}, ArrayForms::kSegments);
  SpinLock lock;
  auto me = std::make_unique<Committer>();
  for (auto _ : state) {
    me->commit(array, Footprint::run(0, bytes, 8, 8), lock);
    me->tick();
  }
  state.counters["locations"] = static_cast<double>(array.locations());
  array.release_storage();
}

// Each thread sweeps its block of one array of 64 MiB, epoch after epoch, and commits once for
// each. The sweep itself is 4096 additions, about what a short loop between two barriers does.
struct Shared {
  ArrayShadow array{};
  SpinLock lock;
  Shared() { array.start({kBase, usize{64} << 20}, ArrayForms::kSegments); }
};
Shared& shared() {
  static Shared s;
  return s;
}

void own_blocks(benchmark::State& state) {
  const auto threads = static_cast<usize>(state.threads());
  const auto id = static_cast<usize>(state.thread_index());
  const usize block = (usize{64} << 20) / threads / 8 * 8;
  auto me = std::make_unique<Committer>();
  for (auto _ : state) {
    u64 sum = 0;
    for (u64 i = 0; i < 4096; ++i) benchmark::DoNotOptimize(sum += i);
    me->commit(shared().array, Footprint::run(id * block, (id + 1) * block, 8, 8), shared().lock);
    me->tick();
  }
}

}  // namespace
}  // namespace bigfoot::rt

int main(int argc, char** argv) {
  using namespace bigfoot::rt;
  benchmark::RegisterBenchmark("whole_array", whole_array)
      ->RangeMultiplier(8)
      ->Range(1 << 10, 1 << 30);
  benchmark::RegisterBenchmark("own_blocks", own_blocks)->ThreadRange(1, 16);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
