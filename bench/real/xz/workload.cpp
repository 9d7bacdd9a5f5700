// xz: one stream compressed by liblzma's threaded encoder, as `xz -T` does, then decompressed by
// its threaded decoder.
//
// Each block goes to a worker thread; the caller's thread hands out input and takes output in
// order, through buffers that the library shares and recycles between the threads. Decoders also
// tell the caller how far they are in the middle of a block.
//
// Valid if decompression gives the input back, with the checksums of all blocks.
#include <lzma.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "bench/programs/common/program.h"
#include "bench/real/common/compressible.h"
#include "bench/real/common/scratch_folder.h"

namespace {

constexpr bench::BySize<std::size_t> kBytes{256 << 10, 1 << 20, 5 << 20, 20 << 20, 80 << 20};
constexpr std::uint32_t kPreset = 3;
constexpr std::uint64_t kBlockBytes = 256 << 10;
constexpr std::size_t kChunk = 64 << 10;  // of input and output at a time

// A stream of the library, and what it says about its end.
class Stream {
 public:
  explicit Stream(const lzma_mt& settings, lzma_ret (*open)(lzma_stream*, const lzma_mt*)) {
    const lzma_ret result = open(&stream_, &settings);
    bench::require(result == LZMA_OK, "opening a stream", std::to_string(result).c_str());
  }
  ~Stream() { lzma_end(&stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // All that comes of the input. Empty if the stream refuses it.
  std::string process(const std::string& input) {
    std::string output;
    std::string chunk(kChunk, '\0');
    std::size_t given = 0;
    lzma_ret result = LZMA_OK;
    while (result == LZMA_OK) {
      if (stream_.avail_in == 0 && given < input.size()) {
        stream_.next_in = reinterpret_cast<const std::uint8_t*>(input.data()) + given;
        stream_.avail_in = std::min(kChunk, input.size() - given);
        given += stream_.avail_in;
      }
      stream_.next_out = reinterpret_cast<std::uint8_t*>(chunk.data());
      stream_.avail_out = chunk.size();
      result = lzma_code(&stream_, given == input.size() ? LZMA_FINISH : LZMA_RUN);
      output.append(chunk, 0, chunk.size() - stream_.avail_out);
    }
    return result == LZMA_STREAM_END ? output : std::string();
  }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
};

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  const std::string text = bench::compressible_text(kBytes[options.size]);
  lzma_mt settings{};
  settings.threads = static_cast<std::uint32_t>(options.threads);
  settings.block_size = kBlockBytes;
  settings.preset = kPreset;
  settings.check = LZMA_CHECK_CRC64;
  settings.memlimit_threading = settings.memlimit_stop = UINT64_MAX;

  timer.start();
  const std::string compressed = Stream(settings, lzma_stream_encoder_mt).process(text);
  const std::string decompressed = Stream(settings, lzma_stream_decoder_mt).process(compressed);
  timer.stop();

  return {decompressed == text, bench::format("%zu to %zu bytes", text.size(), compressed.size())};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "xz", run);
}
