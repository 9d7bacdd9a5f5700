// pipeline: blocks of text pass from a source through compressors to a sink that unpacks and
// compares them in order. `--threads` is the number of compressors; source and sink have a thread
// each besides.
//
// The stages are joined by bounded queues (a mutex and two condition variables); a block and its
// buffers are handed from thread to thread and never used by two at once. What ownership transfer
// costs a detector.
//
// Valid if every block arrives, in order, and unpacks to what the source made.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/programs/common/bounded_queue.h"
#include "bench/programs/common/mix.h"
#include "bench/programs/common/program.h"
#include "bench/programs/common/team.h"

namespace {

constexpr bench::BySize<std::uint64_t> kBlocks{12, 150, 2'000, 8'000, 32'000};
constexpr std::size_t kBlockBytes = 32 * 1024;
constexpr std::size_t kQueueBlocks = 16;

using Bytes = std::vector<std::uint8_t>;

struct Block {
  std::uint64_t number = 0;
  Bytes plain;
  Bytes packed;
};

using BlockQueue = bench::BoundedQueue<std::unique_ptr<Block>>;

// Words drawn from a small vocabulary: text that packs about as well as English does.
Bytes make_text(std::uint64_t number) {
  constexpr std::array<std::string_view, 32> kWords{
      "time",   "people", "water", "light", "house", "which", "there",   "their",
      "about",  "would",  "these", "other", "words", "could", "write",   "first",
      "river",  "north",  "stone", "under", "great", "where", "through", "much",
      "before", "line",   "right", "means", "old",   "any",   "same",    "tell"};
  bench::Random random(number);
  Bytes text;
  text.reserve(kBlockBytes + 16);
  while (text.size() < kBlockBytes) {
    const std::uint64_t draw = random.next();
    const std::string_view word = kWords[draw % kWords.size()];
    text.insert(text.end(), word.begin(), word.end());
    text.push_back(static_cast<std::uint8_t>(draw >> 32 & 15 ? ' ' : '0' + (draw >> 40) % 10));
  }
  text.resize(kBlockBytes);
  return text;
}

// The packed form is a sequence of runs: a length byte n below 128 and n + 1 literal bytes, or a
// byte 128 + n and a two-byte distance, for a copy of n + kMinMatch bytes from that far back.
constexpr std::size_t kMinMatch = 4, kMaxMatch = kMinMatch + 127, kMaxLiterals = 128;

class Packer {
 public:
  explicit Packer(const Bytes& in) : in_(in) { out_.reserve(in.size() / 2); }

  Bytes pack() && {
    std::size_t position = 0;
    while (position + kMinMatch <= in_.size()) {
      const std::size_t match = replace_last_seen(position);
      const std::size_t length = match == kNowhere ? 0 : match_length(match, position);
      if (length < kMinMatch) {
        ++position;
        continue;
      }
      put_literals(position);
      put_copy(length, position - match);
      position += length;
      literals_begin_ = position;
    }
    put_literals(in_.size());
    return std::move(out_);
  }

 private:
  static constexpr std::size_t kNowhere = ~std::size_t{0};
  static constexpr int kTableBits = 12;

  // Where the four bytes at the position (or others with their hash) last were.
  std::size_t replace_last_seen(std::size_t position) {
    std::uint32_t four;
    std::memcpy(&four, &in_[position], sizeof four);
    std::uint32_t& entry = last_seen_[four * 2654435761u >> (32 - kTableBits)];
    const std::size_t found = entry == 0 ? kNowhere : entry - 1;
    entry = static_cast<std::uint32_t>(position + 1);
    return found != kNowhere && position - found <= 0xFFFF ? found : kNowhere;
  }

  std::size_t match_length(std::size_t match, std::size_t position) const {
    const std::size_t limit = std::min(kMaxMatch, in_.size() - position);
    std::size_t length = 0;
    while (length < limit && in_[match + length] == in_[position + length]) ++length;
    return length;
  }

  void put_literals(std::size_t end) {
    while (literals_begin_ < end) {
      const std::size_t count = std::min(kMaxLiterals, end - literals_begin_);
      out_.push_back(static_cast<std::uint8_t>(count - 1));
      out_.insert(out_.end(), &in_[literals_begin_], &in_[literals_begin_] + count);
      literals_begin_ += count;
    }
  }

  void put_copy(std::size_t length, std::size_t distance) {
    out_.push_back(static_cast<std::uint8_t>(128 + length - kMinMatch));
    out_.push_back(static_cast<std::uint8_t>(distance >> 8));
    out_.push_back(static_cast<std::uint8_t>(distance));
  }

  const Bytes& in_;
  Bytes out_;
  std::size_t literals_begin_ = 0;
  std::array<std::uint32_t, 1 << kTableBits> last_seen_{};  // position + 1, 0 for none
};

Bytes unpack(const Bytes& packed) {
  Bytes out;
  out.reserve(kBlockBytes);
  for (std::size_t i = 0; i < packed.size();) {
    const std::uint8_t code = packed[i++];
    if (code < 128) {
      out.insert(out.end(), packed.begin() + static_cast<std::ptrdiff_t>(i),
                 packed.begin() + static_cast<std::ptrdiff_t>(i + code + 1));
      i += code + 1u;
      continue;
    }
    const std::size_t distance = static_cast<std::size_t>(packed[i] << 8 | packed[i + 1]);
    i += 2;
    // Byte by byte, because a copy may overlap itself.
    for (std::size_t n = code - 128u + kMinMatch; n > 0; --n)
      out.push_back(out[out.size() - distance]);
  }
  return out;
}

struct Tally {
  std::uint64_t arrived = 0;
  std::uint64_t packed_bytes = 0;
  bool intact = true;
};

// Takes blocks as they come, holds back what is early, and checks them in order.
Tally drain(BlockQueue& queue) {
  Tally tally;
  std::map<std::uint64_t, std::unique_ptr<Block>> early;
  while (auto block = queue.pop()) {
    early.emplace((*block)->number, std::move(*block));
    while (!early.empty() && early.begin()->first == tally.arrived) {
      const Block& next = *early.begin()->second;
      tally.intact &= unpack(next.packed) == next.plain;
      tally.packed_bytes += next.packed.size();
      ++tally.arrived;
      early.erase(early.begin());
    }
  }
  return tally;
}

Tally run_pipeline(std::uint64_t blocks, int compressors) {
  BlockQueue raw(kQueueBlocks), packed(kQueueBlocks);
  Tally tally;
  std::jthread sink([&] { tally = drain(packed); });
  std::jthread source([&] {
    for (std::uint64_t i = 0; i < blocks; ++i)
      raw.push(std::make_unique<Block>(Block{i, make_text(i), {}}));
    raw.close();
  });
  bench::run_team(compressors, [&](int) {
    while (auto block = raw.pop()) {
      (*block)->packed = Packer((*block)->plain).pack();
      packed.push(std::move(*block));
    }
  });
  packed.close();
  sink.join();
  return tally;
}

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  const std::uint64_t blocks = kBlocks[options.size];
  timer.start();
  const Tally tally = run_pipeline(blocks, options.threads);
  timer.stop();
  const double ratio =
      static_cast<double>(tally.packed_bytes) / static_cast<double>(blocks * kBlockBytes);
  return {tally.arrived == blocks && tally.intact && ratio < 1,
          bench::format("%llu blocks, packed to %.1f %%", static_cast<unsigned long long>(blocks),
                        100 * ratio)};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "pipeline", run);
}
