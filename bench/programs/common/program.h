// What every benchmark program shares: its command line, its sizes, its clock and its last word.
//
//   <program> [--threads N] [--size tiny|small|A|B|C]
//
// prints one line for people, ending in "valid" or "INVALID", and one JSON object for the harness.
// The exit code is 0 if the result is valid, 1 if it is not, 2 if the command line is wrong. The
// harness times the whole process; `kernel_seconds` is the part between KernelTimer::start and
// stop, which leaves out making the input and validating the output, so that both figures are
// available.
//
// A program that has a racy variant asks kRacy: the same source, built with -DBENCH_RACY, lacks
// exactly the synchronisation that the branch shows. Its result is printed but not held against it.
//
// `result` is what was computed, for the harness to compare with the plain build's: a detector that
// changes a program's arithmetic may stay within what its own validation allows. It is left out
// where the order of threads decides the last digits, or how much was done.
#pragma once

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace bench {

#ifdef BENCH_RACY
inline constexpr bool kRacy = true;
#else
inline constexpr bool kRacy = false;
#endif

// A, B and C are the published sizes where a program has them. `tiny` is for tests, `small` for a
// quick look and for the slow detectors.
enum class Size { kTiny, kSmall, kA, kB, kC };

template <typename T>
struct BySize {
  T tiny, small, a, b, c;

  const T& operator[](Size size) const {
    switch (size) {
      case Size::kTiny:
        return tiny;
      case Size::kSmall:
        return small;
      case Size::kA:
        return a;
      case Size::kB:
        return b;
      case Size::kC:
        break;
    }
    return c;
  }
};

inline constexpr BySize<std::string_view> kSizeNames{"tiny", "small", "A", "B", "C"};

struct Options {
  Size size = Size::kSmall;
  int threads = 2;
};

struct Result {
  bool valid = false;
  std::string summary;  // what was computed, in a few words
  bool repeats = true;  // the summary is the same in every run with these options
};

inline constexpr bool kByOrderOfThreads = false;  // a summary that is not

class KernelTimer {
 public:
  void start() { begin_ = Clock::now(); }
  void stop() { seconds_ += std::chrono::duration<double>(Clock::now() - begin_).count(); }
  double seconds() const { return seconds_; }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_;
  double seconds_ = 0;
};

inline std::optional<Size> parse_size(std::string_view text) {
  for (Size size : {Size::kTiny, Size::kSmall, Size::kA, Size::kB, Size::kC}) {
    if (kSizeNames[size] == text) return size;
  }
  return std::nullopt;
}

inline std::optional<int> parse_threads(std::string_view text) {
  int value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value < 1 || value > 256) return std::nullopt;
  return value;
}

inline std::optional<Options> parse_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view flag = argv[i];
    if (i + 1 == argc) return std::nullopt;
    if (flag == "--threads") {
      const auto threads = parse_threads(argv[i + 1]);
      if (!threads) return std::nullopt;
      options.threads = *threads;
    } else if (flag == "--size") {
      const auto size = parse_size(argv[i + 1]);
      if (!size) return std::nullopt;
      options.size = *size;
    } else {
      return std::nullopt;
    }
  }
  return options;
}

// REQUIRES: neither name nor summary holds a character that JSON escapes.
inline int program_main(int argc, char** argv, const char* name,
                        Result (*run)(const Options&, KernelTimer&)) {
  const auto options = parse_options(argc, argv);
  if (!options) {
    std::fprintf(stderr, "usage: %s [--threads 1..256] [--size tiny|small|A|B|C]\n", name);
    return 2;
  }
  KernelTimer timer;
  const Result result = run(*options, timer);
  const std::string size{kSizeNames[options->size]};
  std::printf("%s%s: size %s, %d threads, %s, kernel %.6f s: %s\n", name, kRacy ? " (racy)" : "",
              size.c_str(), options->threads, result.summary.c_str(), timer.seconds(),
              result.valid ? "valid" : "INVALID");
  const std::string told =
      result.repeats && !kRacy ? "\"result\": \"" + result.summary + "\", " : "";
  std::printf(
      "{\"program\": \"%s\", \"racy\": %s, \"size\": \"%s\", \"threads\": %d, "
      "\"kernel_seconds\": %.9f, %s\"valid\": %s}\n",
      name, kRacy ? "true" : "false", size.c_str(), options->threads, timer.seconds(), told.c_str(),
      result.valid ? "true" : "false");
  return result.valid || kRacy ? 0 : 1;
}

// printf into a std::string; summaries are short.
template <typename... Args>
std::string format(const char* pattern, Args... args) {
  char buffer[256];
  const int length = std::snprintf(buffer, sizeof buffer, pattern, args...);
  return std::string(buffer, static_cast<std::size_t>(length) < sizeof buffer
                                 ? static_cast<std::size_t>(length)
                                 : sizeof buffer - 1);
}

}  // namespace bench
