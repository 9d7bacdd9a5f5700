// portions: what the first access of an epoch costs, by how a program portions its memory.
//
// Blocks of less than a page, so that none is an array with a shadow of its own, are written and
// read byte by byte, in short strings, as ints, words and copied structures, each by a function of
// its own that is called: so nothing is merged or moved, and what is measured is the run time's
// part. A second thread waits meanwhile; without it nothing would be recorded.
//
// Prints a line for each case: its name and the least time for one step in nanoseconds.
#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <string_view>
#include <thread>

namespace {

constexpr std::size_t kBlocks = 64, kBlockBytes = 960;
constexpr int kRounds = 200;

using Blocks = std::array<char*, kBlocks>;

struct Record {
  int first, second;
  long number;
  int third, fourth;
};

template <class T>
[[gnu::noinline]] void put(T* p, T value) {
  *p = value;
}
template <class T>
[[gnu::noinline]] T get(const T* p) {
  return *p;
}
[[gnu::noinline]] void copy(Record* to, const Record* from) {
  *to = *from;
}
[[gnu::noinline]] void append(char* to, const char* text, std::size_t bytes) {
  std::memcpy(to, text, bytes);
}

template <class T>
T* at(char* block, std::size_t i) {
  return reinterpret_cast<T*>(block) + i;
}
template <class T>
void write_all(const Blocks& blocks) {
  for (char* block : blocks)
    for (std::size_t i = 0; i < kBlockBytes / sizeof(T); ++i)
      put(at<T>(block, i), static_cast<T>(i));
}
template <class T>
void read_all(const Blocks& blocks) {
  volatile T sum{};
  for (char* block : blocks)
    for (std::size_t i = 0; i < kBlockBytes / sizeof(T); ++i)
      sum = static_cast<T>(sum + get(at<T>(block, i)));
}
template <class T>
constexpr std::size_t steps = kBlocks*(kBlockBytes / sizeof(T));

void nothing(const Blocks&) {}

constexpr std::string_view kWord = "hello";
void write_text(const Blocks& blocks) {
  for (char* block : blocks)
    for (std::size_t i = 0; i + kWord.size() < kBlockBytes; i += kWord.size() + 1) {
      append(block + i, kWord.data(), kWord.size());
      put(block + i + kWord.size(), ' ');
    }
}

constexpr std::size_t kRecords = kBlockBytes / sizeof(Record);
void copy_records(const Blocks& blocks) {
  const Record one{1, 2, 3, 4, 5};
  for (char* block : blocks)
    for (std::size_t i = 0; i < kRecords; ++i) copy(at<Record>(block, i), &one);
}
void read_records(const Blocks& blocks) {
  volatile int sum = 0;
  for (char* block : blocks)
    for (std::size_t i = 0; i < kRecords; ++i)
      sum = sum + get(&at<Record>(block, i)->first) + get(&at<Record>(block, i)->third);
}
void replace_all(Blocks& blocks) {
  for (char*& block : blocks) {
    std::free(block);
    block = static_cast<char*>(std::malloc(kBlockBytes));
  }
}

std::mutex epochs;
void begin_epoch() {
  const std::lock_guard lock(epochs);
}

struct Case {
  const char* name;
  std::function<void(Blocks&)> before;  // in an epoch of its own
  std::function<void(Blocks&)> measured;
  std::size_t steps;
};

double nanoseconds(const Case& c) {
  double least = 1e300;
  for (int round = 0; round < kRounds; ++round) {
    Blocks blocks;
    for (char*& block : blocks) block = static_cast<char*>(std::malloc(kBlockBytes));
    c.before(blocks);
    begin_epoch();
    const auto start = std::chrono::steady_clock::now();
    c.measured(blocks);
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
    least = std::min(least, taken.count() / static_cast<double>(c.steps));
    for (char* block : blocks) std::free(block);
  }
  return least;
}

}  // namespace

int main() {
  std::mutex mutex;
  std::condition_variable ended;
  bool stop = false;
  std::thread other([&] {
    std::unique_lock lock(mutex);
    ended.wait(lock, [&] { return stop; });
  });
  const Case cases[] = {
      {"byte written", nothing, write_all<char>, steps<char>},
      {"int written", nothing, write_all<int>, steps<int>},
      {"word written", nothing, write_all<long>, steps<long>},
      {"byte read", write_all<char>, read_all<char>, steps<char>},
      {"int read from a whole word", write_all<long>, read_all<int>, steps<int>},
      {"byte of text in runs of 5 and 1", nothing, write_text, steps<char>},
      {"structure copied, then two ints read", nothing,
       [](Blocks& blocks) {
         copy_records(blocks);
         begin_epoch();
         read_records(blocks);
       },
       kBlocks * kRecords},
      {"block of written bytes freed and made", write_all<char>, replace_all, kBlocks},
  };
  for (const Case& c : cases) std::printf("%s: %.2f\n", c.name, nanoseconds(c));
  {
    const std::lock_guard lock(mutex);
    stop = true;
  }
  ended.notify_all();
  other.join();
  return 0;
}
