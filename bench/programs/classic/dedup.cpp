// dedup: finds repeated pieces of a stream of bytes and packs the others, in a pipeline. In the
// spirit of dedup of the PARSEC suite.
//
// The stages are joined by bounded queues; all but the first and the last have `--threads` threads.
//   source    cuts the input into segments of a fixed size
//   chunkers  cut segments where a rolling hash of the last bytes says so, and copy the chunks
//   finders   hash chunks with SHA-1 and look them up in a table whose buckets have a lock each
//   packers   compress chunks that were new; the others pass them by
//   writer    puts chunks into order; writes a chunk when it is first due, then references to it
// Chunks are handed from thread to thread. What the table holds of a chunk is filled in by the
// packer of whoever came first and read by the writer, which keeps back what is due before that.
//
// Who comes first depends on the schedule, the archive does not. Valid if it gives the input back,
// is small enough that both repeats and packing must have worked, and SHA-1 meets a published
// value.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "bench/programs/common/bounded_queue.h"
#include "bench/programs/common/mix.h"
#include "bench/programs/common/program.h"
#include "bench/programs/common/team.h"

namespace {

// Of the input. Half of its documents are repeats, with a byte changed.
constexpr bench::BySize<std::size_t> kInputBytes{400'000, 5'000'000, 40'000'000, 160'000'000,
                                                 480'000'000};
constexpr std::size_t kSegmentBytes = 128 * 1024;
constexpr std::size_t kQueueSegments = 8, kQueueChunks = 64;

using Bytes = std::vector<std::uint8_t>;
using View = std::span<const std::uint8_t>;

// Text of phrases drawn from a few: quickly made, and each phrase too short to be a repeat of its
// own.
class TextMaker {
 public:
  TextMaker() {
    constexpr std::array<std::string_view, 16> kWords{
        "which ", "number ", "memory ", "thread ", "lock ",  "before ", "between ", "value ",
        "order ", "source ", "chunk ",  "queue ",  "there ", "every ",  "while ",   "until "};
    bench::Random random(19);
    for (auto& phrase : phrases_) {
      std::string text;
      while (text.size() < phrase.size()) text += kWords[random.below(kWords.size())];
      std::copy_n(text.begin(), phrase.size(), phrase.begin());
    }
  }

  void append(Bytes& out, std::size_t count, bench::Random& random) const {
    const std::size_t end = out.size() + count;
    while (out.size() < end) {
      const auto& phrase = phrases_[random.below(phrases_.size())];
      out.insert(out.end(), phrase.begin(), phrase.end());
    }
    out.resize(end);
  }

 private:
  std::array<std::array<std::uint8_t, 40>, 500> phrases_;
};

Bytes make_input(std::size_t size) {
  struct Document {
    std::size_t begin, bytes;
  };
  constexpr std::size_t kSmallest = 8'000, kLargest = 48'000;
  const TextMaker text;
  bench::Random random(17);
  std::vector<Document> documents;
  Bytes input;
  input.reserve(size + kLargest);
  while (input.size() < size) {
    const std::size_t begin = input.size();
    if (documents.empty() || random.below(2) == 0) {
      text.append(input, kSmallest + random.below(kLargest - kSmallest), random);
      documents.push_back({begin, input.size() - begin});
    } else {
      const Document old = documents[random.below(documents.size())];
      input.resize(begin + old.bytes);
      std::copy_n(&input[old.begin], old.bytes, &input[begin]);
      input[begin + random.below(old.bytes)] = '#';
    }
  }
  input.resize(size);
  return input;
}

// Gear hashing: each byte moves the bytes before it one bit to the left, so that the highest bits
// depend on the last 64 bytes alone (Xia and others, "FastCDC", USENIX ATC 2016).
class Chunker {
 public:
  Chunker() {
    for (std::size_t i = 0; i < gear_.size(); ++i) gear_[i] = bench::mix(i);
  }

  // How many bytes the first chunk has.
  std::size_t first_chunk(View bytes) const {
    const std::size_t limit = std::min(bytes.size(), kMaxBytes);
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < limit; ++i) {
      hash = (hash << 1) + gear_[bytes[i]];
      if (i + 1 >= kMinBytes && hash >> (64 - kMeanBits) == 0) return i + 1;
    }
    return limit;
  }

 private:
  static constexpr std::size_t kMinBytes = 256, kMaxBytes = 16 * 1024;
  static constexpr int kMeanBits = 11;  // a chunk has 2^11 bytes more than the least, on average

  std::array<std::uint64_t, 256> gear_;
};

using Digest = std::array<std::uint32_t, 5>;

// SHA-1 as in FIPS 180-4. Not safe against those who mean ill any more, but quite as much work.
class Sha1 {
 public:
  static Digest of(View bytes) {
    Sha1 hash;
    std::size_t done = 0;
    for (; done + kBlock <= bytes.size(); done += kBlock) hash.add_block(&bytes[done]);
    // The rest, a one bit, and the length in bits at the end of a block.
    std::array<std::uint8_t, 2 * kBlock> tail{};
    const std::size_t rest = bytes.size() - done;
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(done), rest, tail.begin());
    tail[rest] = 0x80;
    const std::size_t end = rest + 9 <= kBlock ? kBlock : 2 * kBlock;
    for (std::size_t i = 0; i < 8; ++i) {
      tail[end - 1 - i] = static_cast<std::uint8_t>(std::uint64_t{bytes.size()} * 8 >> 8 * i);
    }
    for (std::size_t at = 0; at < end; at += kBlock) hash.add_block(&tail[at]);
    return hash.state_;
  }

 private:
  static constexpr std::size_t kBlock = 64;

  void add_block(const std::uint8_t* bytes) {
    std::array<std::uint32_t, 80> w;
    for (std::size_t i = 0; i < 16; ++i) {
      w[i] = std::uint32_t{bytes[4 * i]} << 24 | std::uint32_t{bytes[4 * i + 1]} << 16 |
             std::uint32_t{bytes[4 * i + 2]} << 8 | bytes[4 * i + 3];
    }
    for (std::size_t i = 16; i < 80; ++i) {
      w[i] = std::rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    }
    auto [a, b, c, d, e] = state_;
    for (std::size_t i = 0; i < 80; ++i) {
      const std::uint32_t mixed = i < 20   ? ((b & c) | (~b & d)) + 0x5A827999
                                  : i < 40 ? (b ^ c ^ d) + 0x6ED9EBA1
                                  : i < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8F1BBCDC
                                           : (b ^ c ^ d) + 0xCA62C1D6;
      const std::uint32_t next = std::rotl(a, 5) + mixed + e + w[i];
      e = d, d = c, c = std::rotl(b, 30), b = a, a = next;
    }
    state_[0] += a, state_[1] += b, state_[2] += c, state_[3] += d, state_[4] += e;
  }

  Digest state_{0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
};

// Guesses each byte from the hash of the bytes before it: a bit says whether the guess is right, a
// byte is given if it is not. Eight bits come first, then the bytes that they ask for.
class Predictor {
 public:
  static Bytes pack(View plain) {
    Predictor predictor;
    Bytes packed;
    packed.reserve(plain.size());
    for (std::size_t at = 0; at < plain.size(); at += 8) {
      const std::size_t bits_at = packed.size();
      packed.push_back(0);
      for (std::size_t bit = 0; bit < 8 && at + bit < plain.size(); ++bit) {
        const std::uint8_t byte = plain[at + bit];
        if (predictor.guess() == byte) {
          packed[bits_at] |= static_cast<std::uint8_t>(1 << bit);
        } else {
          packed.push_back(byte);
        }
        predictor.learn(byte);
      }
    }
    return packed;
  }

  // Fills `plain`; returns false unless that takes all of the packed bytes.
  static bool unpack(View packed, std::span<std::uint8_t> plain) {
    Predictor predictor;
    std::size_t next = 0;
    for (std::size_t at = 0; at < plain.size(); at += 8) {
      if (next == packed.size()) return false;
      const std::uint8_t bits = packed[next++];
      for (std::size_t bit = 0; bit < 8 && at + bit < plain.size(); ++bit) {
        std::uint8_t byte = predictor.guess();
        if ((bits >> bit & 1) == 0) {
          if (next == packed.size()) return false;
          byte = packed[next++];
        }
        plain[at + bit] = byte;
        predictor.learn(byte);
      }
    }
    return next == packed.size();
  }

 private:
  std::uint8_t guess() const { return table_[hash_]; }
  void learn(std::uint8_t byte) {
    table_[hash_] = byte;
    hash_ = (hash_ << 4 ^ byte) % table_.size();
  }

  std::array<std::uint8_t, 4096> table_{};
  std::size_t hash_ = 0;  // of the last three bytes
};

// What is known of all chunks with the same bytes.
struct Content {
  Digest digest;
  std::size_t plain_bytes = 0;
  Bytes packed;  // by the packer; then the writer's, as is what follows
  bool has_arrived = false;
  std::uint32_t number = 0;  // in the archive, from 1; 0 if it is not there yet
};

class Table {
 public:
  struct Found {
    Content* content;
    bool is_new;
  };

  Found find_or_add(const Digest& digest) {
    Bucket& bucket = buckets_[digest[0] % buckets_.size()];
    std::lock_guard lock(bucket.mutex);
    for (const auto& content : bucket.contents) {
      if (content->digest == digest) return {content.get(), false};
    }
    bucket.contents.push_back(std::make_unique<Content>(Content{.digest = digest, .packed = {}}));
    return {bucket.contents.back().get(), true};
  }

 private:
  struct Bucket {
    std::mutex mutex;
    std::vector<std::unique_ptr<Content>> contents;  // guarded by mutex
  };

  std::vector<Bucket> buckets_{4096};
};

struct Segment {
  std::uint32_t number;
  Bytes bytes;
};

struct Place {
  std::uint32_t segment, chunk;

  friend auto operator<=>(const Place&, const Place&) = default;
};

struct Chunk {
  Place place;
  bool is_last = false;  // of its segment
  Bytes bytes = {};
  Content* content = nullptr;
  bool is_new = false;
};

// The archive is a sequence of chunks: a number of four bytes, 0 for a chunk that was not there
// before, which is followed by its length, that of its packed form, and this.
class Writer {
 public:
  void take(Chunk chunk) {
    if (chunk.is_new) chunk.content->has_arrived = true;
    waiting_.emplace(chunk.place, std::move(chunk));
    for (auto first = waiting_.begin(); first != waiting_.end(); first = waiting_.erase(first)) {
      const Chunk& next = first->second;
      if (next.place != due_ || !next.content->has_arrived) return;
      write(*next.content);
      due_ = next.is_last ? Place{due_.segment + 1, 0} : Place{due_.segment, due_.chunk + 1};
    }
  }

  const Bytes& archive() const { return archive_; }
  std::size_t written() const { return written_; }
  std::size_t repeats() const { return written_ - contents_; }

 private:
  void write(Content& content) {
    ++written_;
    put(content.number);
    if (content.number != 0) return;
    content.number = ++contents_;
    put(static_cast<std::uint32_t>(content.plain_bytes));
    put(static_cast<std::uint32_t>(content.packed.size()));
    archive_.insert(archive_.end(), content.packed.begin(), content.packed.end());
  }

  void put(std::uint32_t value) {
    for (int shift = 0; shift < 32; shift += 8) {
      archive_.push_back(static_cast<std::uint8_t>(value >> shift));
    }
  }

  std::map<Place, Chunk> waiting_;
  Place due_{0, 0};
  Bytes archive_;
  std::size_t written_ = 0;
  std::uint32_t contents_ = 0;
};

class Pipeline {
 public:
  explicit Pipeline(const Bytes& input) : input_(input) {}

  void run(int threads) {
    const std::jthread source([this] { cut_segments(); });
    const std::jthread chunkers([this, threads] {
      bench::run_team(threads, [this](int) { cut_chunks(); });
      chunks_.close();
    });
    // The writer's queue has two sources: it is closed when the second has ended, which ends after
    // the first.
    const std::jthread finders([this, threads] {
      bench::run_team(threads, [this](int) { find_repeats(); });
      fresh_.close();
    });
    const std::jthread packers([this, threads] {
      bench::run_team(threads, [this](int) { pack_fresh(); });
      done_.close();
    });
    while (auto chunk = done_.pop()) writer_.take(std::move(*chunk));
  }

  const Writer& writer() const { return writer_; }

 private:
  void cut_segments() {
    std::uint32_t number = 0;
    for (std::size_t at = 0; at < input_.size(); at += kSegmentBytes) {
      const View bytes = View(input_).subspan(at, std::min(kSegmentBytes, input_.size() - at));
      segments_.push({number++, Bytes(bytes.begin(), bytes.end())});
    }
    segments_.close();
  }

  void cut_chunks() {
    while (const auto segment = segments_.pop()) {
      Place place{segment->number, 0};
      for (View rest = segment->bytes; !rest.empty(); ++place.chunk) {
        const View bytes = rest.first(chunker_.first_chunk(rest));
        rest = rest.subspan(bytes.size());
        chunks_.push({place, rest.empty(), Bytes(bytes.begin(), bytes.end())});
      }
    }
  }

  void find_repeats() {
    while (auto chunk = chunks_.pop()) {
      const auto [content, is_new] = table_.find_or_add(Sha1::of(chunk->bytes));
      chunk->content = content;
      chunk->is_new = is_new;
      if (is_new) {
        fresh_.push(std::move(*chunk));
      } else {
        chunk->bytes = {};
        done_.push(std::move(*chunk));
      }
    }
  }

  void pack_fresh() {
    while (auto chunk = fresh_.pop()) {
      chunk->content->plain_bytes = chunk->bytes.size();
      chunk->content->packed = Predictor::pack(chunk->bytes);
      chunk->bytes = {};
      done_.push(std::move(*chunk));
    }
  }

  const Bytes& input_;
  const Chunker chunker_;
  Table table_;
  bench::BoundedQueue<Segment> segments_{kQueueSegments};
  bench::BoundedQueue<Chunk> chunks_{kQueueChunks}, fresh_{kQueueChunks}, done_{kQueueChunks};
  Writer writer_;
};

class Decoder {
 public:
  // Whether the archive is one of exactly `size` bytes, which then are in plain().
  bool decode(View archive, std::size_t size) {
    archive_ = archive;
    plain_.resize(size);
    while (!archive_.empty()) {
      const std::size_t number = get();
      if (number > pieces_.size()) return false;
      if (number == 0 ? !unpack_piece() : !repeat_piece(pieces_[number - 1])) return false;
    }
    return end_ == size;
  }

  const Bytes& plain() const { return plain_; }

 private:
  struct Piece {
    std::size_t begin, bytes;
  };

  // The next number of the archive; what is missing of it is 0.
  std::uint32_t get() {
    std::uint32_t value = 0;
    const std::size_t bytes = std::min<std::size_t>(4, archive_.size());
    for (std::size_t i = 0; i < bytes; ++i) value |= std::uint32_t{archive_[i]} << 8 * i;
    archive_ = archive_.subspan(bytes);
    return value;
  }

  bool unpack_piece() {
    const std::size_t bytes = get(), packed = get();
    if (packed > archive_.size() || bytes > plain_.size() - end_) return false;
    pieces_.push_back({end_, bytes});
    if (!Predictor::unpack(archive_.first(packed), std::span(plain_).subspan(end_, bytes))) {
      return false;
    }
    archive_ = archive_.subspan(packed);
    end_ += bytes;
    return true;
  }

  bool repeat_piece(const Piece& piece) {
    if (piece.bytes > plain_.size() - end_) return false;
    std::copy_n(&plain_[piece.begin], piece.bytes, &plain_[end_]);
    end_ += piece.bytes;
    return true;
  }

  View archive_;  // what is left of it
  Bytes plain_;
  std::size_t end_ = 0;  // of what is there
  std::vector<Piece> pieces_;
};

bool gives_back(const Bytes& archive, const Bytes& input) {
  Decoder decoder;
  return decoder.decode(archive, input.size()) && decoder.plain() == input;
}

bool sha1_is_right() {
  constexpr std::array<std::uint8_t, 3> kText{'a', 'b', 'c'};
  constexpr Digest kPublished{0xA9993E36, 0x4706816A, 0xBA3E2571, 0x7850C26C, 0x9CD0D89D};
  return Sha1::of(kText) == kPublished;
}

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  const Bytes input = make_input(kInputBytes[options.size]);
  Pipeline pipeline(input);

  timer.start();
  pipeline.run(options.threads);
  timer.stop();

  const Writer& writer = pipeline.writer();
  const double share =
      static_cast<double>(writer.archive().size()) / static_cast<double>(input.size());
  const bool valid = sha1_is_right() && share < 0.5 && gives_back(writer.archive(), input);
  return {valid, bench::format("%zu chunks, %zu repeats, %.1f %% of the input", writer.written(),
                               writer.repeats(), 100 * share)};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "dedup", run);
}
