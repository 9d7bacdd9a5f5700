// History that is cleared, copied and moved, beside a plain copy of as many shadow cells: what a
// moving collector pays the detector for the memory it moves. Bytes are those of the program's
// memory; a cell of 16 stands for 8 of them. The history of an array of 1 GiB that is kept in so
// many segments is moved, copied and cleared in that form, beside a plain copy of as many bytes as
// the form has.
#include <benchmark/benchmark.h>

#include <cstring>
#include <vector>

#include "tests/unit/runtime/scripted_threads.h"

namespace bigfoot::rt::testing {
namespace {

constexpr uptr kFrom = uptr{1} << 40, kTo = uptr{1} << 41;

ScriptedThread& thread() {
  static Tables tables;
  static const VectorClock nothing;
  static ScriptedThread t(tables, nothing, 1);
  return t;
}

// Every word written; `width` 8: a cell for the word, 1: a cell for each byte.
void write_all(usize bytes, usize width) {
  for (uptr a = kFrom; a < kFrom + bytes; a += width) thread().write(a, width);
}

void count(benchmark::State& state) {
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) * state.range(0));
}

void copy_words(benchmark::State& state) {
  const auto bytes = static_cast<usize>(state.range(0));
  write_all(bytes, 8);
  for (auto _ : state) copy_history(kFrom, kTo, bytes, kNoObjects);
  count(state);
}
void copy_split_words(benchmark::State& state) {
  const auto bytes = static_cast<usize>(state.range(0));
  write_all(bytes, 1);
  for (auto _ : state) copy_history(kFrom, kTo, bytes, kNoObjects);
  count(state);
  clear_history({kFrom, bytes}, nullptr, nullptr);
  clear_history({kTo, bytes}, nullptr, nullptr);
}
// To an odd address, byte by byte.
void copy_unaligned(benchmark::State& state) {
  const auto bytes = static_cast<usize>(state.range(0));
  write_all(bytes, 8);
  for (auto _ : state) copy_history(kFrom, kTo + 3, bytes, kNoObjects);
  count(state);
  clear_history({kTo, bytes + 8}, nullptr, nullptr);
}
// There and back, so that there is something to move each time.
void move_words(benchmark::State& state) {
  const auto bytes = static_cast<usize>(state.range(0));
  write_all(bytes, 8);
  for (auto _ : state) {
    move_history(kFrom, kTo, bytes, kNoObjects);
    move_history(kTo, kFrom, bytes, kNoObjects);
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) * 2 * state.range(0));
}
void copy_nothing(benchmark::State& state) {
  const auto bytes = static_cast<usize>(state.range(0));
  for (auto _ : state)
    copy_history(kFrom + (uptr{1} << 38), kTo + (uptr{1} << 38), bytes, kNoObjects);
  count(state);
}
// The least it can be as long as each word has a cell.
void plain_copy_of_cells(benchmark::State& state) {
  const auto bytes = static_cast<usize>(state.range(0));
  std::vector<char> from(bytes * 2), to(bytes * 2);
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), from.size());
    benchmark::ClobberMemory();
  }
  count(state);
}

// --- compressed: the argument is the number of segments that 1 GiB is kept in

constexpr usize kGiB = usize{1} << 30;
constexpr usize kBytesPerSegment = 48;  // as in array/segments.h

// Neighbours differ: the first of two is written, or one of its two fields is.
class Arrays {
 public:
  explicit Arrays(usize segments, bool periods = false) {
    for (ArrayShadow* a : {&from, &to})
      a->start({a == &from ? kFrom : kTo, kGiB}, ArrayForms::kSegments);
    const usize each = kGiB / segments / 16 * 16;
    for (usize i = 0; i < segments; ++i) {
      const uptr begin = kFrom + i * each;
      if (periods)
        thread().commit(from, Footprint::run(begin + i % 2 * 8, begin + each, 16, 8), true);
      else if (i % 2 == 0)
        thread().commit(from, Footprint::one(begin, each), true);
    }
  }
  ~Arrays() {
    from.release_storage();
    to.release_storage();
  }
  ArrayShadow from{}, to{};
};

void transfer(ArrayShadow& from, ArrayShadow& to, bool moves) {
  BF_CHECK(moves ? from.move_all_to(to) : from.copy_all_to(to));
}
// As for parts of arrays: all but the last word.
void transfer_part(ArrayShadow& from, ArrayShadow& to, bool moves) {
  Segments part{};
  BF_CHECK(from.copy(0, kGiB - 8, 0, part));
  if (moves) from.clear(0, kGiB - 8);
  to.replace(part);
}
void show_form(benchmark::State& state, const Arrays& arrays) {
  state.counters["locations"] = static_cast<double>(arrays.from.locations());
  BF_CHECK(!arrays.from.fine() && !arrays.to.fine());
}
void copy_compressed(benchmark::State& state) {
  Arrays arrays(static_cast<usize>(state.range(0)));
  for (auto _ : state) transfer(arrays.from, arrays.to, false);
  show_form(state, arrays);
}
// Segments with a period of two cells, which are elsewhere.
void copy_periods(benchmark::State& state) {
  Arrays arrays(static_cast<usize>(state.range(0)), true);
  for (auto _ : state) transfer(arrays.from, arrays.to, false);
  show_form(state, arrays);
}
void move_periods(benchmark::State& state) {
  Arrays arrays(static_cast<usize>(state.range(0)), true);
  for (auto _ : state) {
    transfer(arrays.from, arrays.to, true);
    transfer(arrays.to, arrays.from, true);
  }
  show_form(state, arrays);
}
void copy_compressed_part(benchmark::State& state) {
  Arrays arrays(static_cast<usize>(state.range(0)));
  for (auto _ : state) transfer_part(arrays.from, arrays.to, false);
  show_form(state, arrays);
}
void move_compressed_part(benchmark::State& state) {
  Arrays arrays(static_cast<usize>(state.range(0)));
  for (auto _ : state) {
    transfer_part(arrays.from, arrays.to, true);
    transfer_part(arrays.to, arrays.from, true);
  }
  show_form(state, arrays);
}
// Two moves in each round: there and back.
void move_compressed(benchmark::State& state) {
  Arrays arrays(static_cast<usize>(state.range(0)));
  for (auto _ : state) {
    transfer(arrays.from, arrays.to, true);
    transfer(arrays.to, arrays.from, true);
  }
  show_form(state, arrays);
}
// With the copy that makes something to clear.
void copy_and_clear_compressed(benchmark::State& state) {
  Arrays arrays(static_cast<usize>(state.range(0)));
  for (auto _ : state) {
    transfer(arrays.from, arrays.to, false);
    arrays.to.clear(0, kGiB);
  }
  show_form(state, arrays);
}
void plain_copy_of_form(benchmark::State& state) {
  std::vector<char> from(static_cast<usize>(state.range(0)) * kBytesPerSegment), to(from);
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), from.size());
    benchmark::ClobberMemory();
  }
}

}  // namespace

void register_all() {
  benchmark::RegisterBenchmark("plain_copy_of_form", plain_copy_of_form)
      ->Arg(1)
      ->Arg(64)
      ->Arg(4096);
  benchmark::RegisterBenchmark("copy_compressed", copy_compressed)->Arg(1)->Arg(64)->Arg(4096);
  benchmark::RegisterBenchmark("copy_periods", copy_periods)->Arg(1)->Arg(64)->Arg(4096);
  benchmark::RegisterBenchmark("move_compressed", move_compressed)->Arg(1)->Arg(64)->Arg(4096);
  benchmark::RegisterBenchmark("move_periods", move_periods)->Arg(1)->Arg(64)->Arg(4096);
  benchmark::RegisterBenchmark("copy_compressed_part", copy_compressed_part)
      ->Arg(1)
      ->Arg(64)
      ->Arg(4096);
  benchmark::RegisterBenchmark("move_compressed_part", move_compressed_part)
      ->Arg(1)
      ->Arg(64)
      ->Arg(4096);
  benchmark::RegisterBenchmark("copy_and_clear_compressed", copy_and_clear_compressed)
      ->Arg(1)
      ->Arg(64)
      ->Arg(4096);
  benchmark::RegisterBenchmark("plain_copy_of_cells", plain_copy_of_cells)
      ->Arg(1 << 12)
      ->Arg(1 << 24);
  benchmark::RegisterBenchmark("copy_words", copy_words)->Arg(1 << 12)->Arg(1 << 24);
  benchmark::RegisterBenchmark("move_words", move_words)->Arg(1 << 12)->Arg(1 << 24);
  benchmark::RegisterBenchmark("copy_split_words", copy_split_words)->Arg(1 << 12)->Arg(1 << 20);
  benchmark::RegisterBenchmark("copy_unaligned", copy_unaligned)->Arg(1 << 12)->Arg(1 << 20);
  benchmark::RegisterBenchmark("copy_nothing", copy_nothing)->Arg(1 << 12)->Arg(1 << 30);
}

}  // namespace bigfoot::rt::testing

int main(int argc, char** argv) {
  bigfoot::rt::testing::register_all();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
