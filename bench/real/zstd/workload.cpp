// zstd: one stream compressed by its own worker threads, as `zstd -T` does, then decompressed.
//
// The caller's thread copies input into a ring that the workers read their jobs from, and takes
// what they have written, in order. Jobs overlap, so that workers also read what belongs to the job
// before theirs.
//
// Valid if decompression gives the input back, with the checksum that zstd keeps of it.
#include <zstd.h>

#include <memory>
#include <string>

#include "bench/programs/common/program.h"
#include "bench/real/common/compressible.h"
#include "bench/real/common/scratch_folder.h"

namespace {

constexpr bench::BySize<std::size_t> kBytes{1 << 20, 4 << 20, 20 << 20, 80 << 20, 320 << 20};
constexpr int kLevel = 8;
constexpr int kJobBytes = 1 << 20;  // the least is half of that; by default jobs are 8 MiB here
constexpr std::size_t kChunk = 128 << 10;  // of input at a time, as the tool reads

void require(std::size_t result, const char* what) {
  bench::require(!ZSTD_isError(result), what, ZSTD_getErrorName(result));
}

struct Free {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

std::string compress(const std::string& text, int threads) {
  const std::unique_ptr<ZSTD_CCtx, Free> context(ZSTD_createCCtx());
  require(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel), "level");
  require(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1), "checksum");
  require(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_nbWorkers, threads), "nbWorkers");
  require(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_jobSize, kJobBytes), "jobSize");
  std::string compressed(ZSTD_compressBound(text.size()), '\0');
  ZSTD_outBuffer out{compressed.data(), compressed.size(), 0};
  for (std::size_t begin = 0; begin < text.size(); begin += kChunk) {
    ZSTD_inBuffer in{text.data() + begin, std::min(kChunk, text.size() - begin), 0};
    const bool last = begin + in.size == text.size();
    std::size_t left;
    do {
      left = ZSTD_compressStream2(context.get(), &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
      require(left, "ZSTD_compressStream2");
    } while (last ? left > 0 : in.pos < in.size);
  }
  compressed.resize(out.pos);
  return compressed;
}

bool decompresses_to(const std::string& compressed, const std::string& text) {
  const std::unique_ptr<ZSTD_DCtx, Free> context(ZSTD_createDCtx());
  std::string chunk(ZSTD_DStreamOutSize(), '\0');
  ZSTD_inBuffer in{compressed.data(), compressed.size(), 0};
  std::size_t done = 0, left = 1;
  while (left > 0) {
    ZSTD_outBuffer out{chunk.data(), chunk.size(), 0};
    left = ZSTD_decompressStream(context.get(), &out, &in);
    if (ZSTD_isError(left) || text.compare(done, out.pos, chunk, 0, out.pos) != 0) return false;
    done += out.pos;
    if (left > 0 && in.pos == in.size && out.pos < out.size) return false;  // cut short
  }
  return done == text.size();
}

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  const std::string text = bench::compressible_text(kBytes[options.size]);
  timer.start();
  const std::string compressed = compress(text, options.threads);
  const bool valid = decompresses_to(compressed, text);
  timer.stop();
  return {valid, bench::format("%zu to %zu bytes", text.size(), compressed.size())};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "zstd", run);
}
