// x264: encodes a film of a moving pattern, several pictures at a time.
//
// A thread encodes a picture and waits, line by line, for what it needs of the pictures before it,
// which other threads are still at; one more thread looks ahead. Valid if all pictures come out, in
// a stream that has one coded picture for each, and what a decoder will see of them is close to
// what went in.
#include <stdint.h>  // x264.h wants it first
#include <x264.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "bench/programs/common/mix.h"
#include "bench/programs/common/program.h"
#include "bench/real/common/scratch_folder.h"

namespace {

struct Work {
  int width, height;
  int pictures;
};

constexpr bench::BySize<Work> kWork{
    {64, 48, 4}, {176, 144, 12}, {352, 288, 16}, {352, 288, 60}, {704, 576, 60}};
constexpr int kQuantizer = 24;
// In dB, between the picture and what a decoder will see: 40 is what this quantizer is known for.
constexpr double kLeastLikeness = 36;

std::uint8_t byte_of(double value) {
  return static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0));
}

// Waves that pass over some grain: something to predict and something that can not be predicted.
void paint(x264_image_t& image, const Work& work, int time) {
  for (int plane = 0; plane < 3; ++plane) {
    const int scale = plane == 0 ? 1 : 2;
    for (int y = 0; y < work.height / scale; ++y) {
      std::uint8_t* const line = image.plane[plane] + y * image.i_stride[plane];
      for (int x = 0; x < work.width / scale; ++x) {
        const double wave = std::sin(0.11 * scale * (x + 2 * time)) +
                            std::cos(0.07 * scale * (y - time) + 0.02 * scale * x);
        const auto grain = static_cast<double>(
            bench::mix(static_cast<std::uint64_t>(((time / 4 * 4 + plane) << 24) + (y << 12) + x)) %
            8);
        line[x] = byte_of(128 + 50 * wave + grain);
      }
    }
  }
}

class Encoder {
 public:
  Encoder(const Work& work, int threads) : work_(work) {
    x264_param_t settings;
    bench::require(x264_param_default_preset(&settings, "faster", "psnr") == 0,
                   "x264_param_default_preset");
    settings.cpu = 0;
    settings.i_threads = threads;
    settings.i_width = work.width;
    settings.i_height = work.height;
    settings.i_csp = X264_CSP_I420;
    settings.i_log_level = X264_LOG_ERROR;
    settings.rc.i_rc_method = X264_RC_CQP;
    settings.rc.i_qp_constant = kQuantizer;
    settings.b_full_recon = 1;
    settings.b_vfr_input = 0;
    encoder_ = x264_encoder_open(&settings);
    bench::require(encoder_ != nullptr, "x264_encoder_open");
    bench::require(x264_picture_alloc(&picture_, X264_CSP_I420, work.width, work.height) == 0,
                   "x264_picture_alloc");
  }
  ~Encoder() {
    x264_picture_clean(&picture_);
    x264_encoder_close(encoder_);
  }
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;

  void encode(int time) {
    paint(picture_.img, work_, time);
    picture_.i_pts = time;
    encode(&picture_);
  }

  // The pictures that the encoder still holds back.
  void finish() {
    while (x264_encoder_delayed_frames(encoder_) > 0) encode(nullptr);
  }

  int coded() const { return coded_; }
  std::size_t bytes() const { return bytes_; }
  double least_likeness() const { return least_likeness_; }

 private:
  void encode(x264_picture_t* picture) {
    x264_nal_t* units = nullptr;
    int count = 0;
    x264_picture_t seen;
    const int size = x264_encoder_encode(encoder_, &units, &count, picture, &seen);
    bench::require(size >= 0, "x264_encoder_encode");
    if (size == 0) return;
    bytes_ += static_cast<std::size_t>(size);
    coded_ += static_cast<int>(std::count_if(units, units + count, [](const x264_nal_t& unit) {
      return unit.i_type == NAL_SLICE || unit.i_type == NAL_SLICE_IDR;
    }));
    compare(seen);
  }

  // In dB, of the lightness.
  void compare(const x264_picture_t& seen) {
    x264_picture_t original;
    bench::require(x264_picture_alloc(&original, X264_CSP_I420, work_.width, work_.height) == 0,
                   "x264_picture_alloc");
    paint(original.img, work_, static_cast<int>(seen.i_pts));
    double squares = 0;
    for (int y = 0; y < work_.height; ++y) {
      for (int x = 0; x < work_.width; ++x) {
        const int difference = original.img.plane[0][y * original.img.i_stride[0] + x] -
                               seen.img.plane[0][y * seen.img.i_stride[0] + x];
        squares += difference * difference;
      }
    }
    x264_picture_clean(&original);
    const double mean = squares / (work_.width * work_.height);
    least_likeness_ = std::min(least_likeness_, 10 * std::log10(255.0 * 255.0 / mean));
  }

  const Work work_;
  x264_t* encoder_ = nullptr;
  x264_picture_t picture_;
  int coded_ = 0;
  std::size_t bytes_ = 0;
  double least_likeness_ = 100;
};

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  const Work& work = kWork[options.size];
  Encoder encoder(work, options.threads);

  timer.start();
  for (int time = 0; time < work.pictures; ++time) encoder.encode(time);
  encoder.finish();
  timer.stop();

  return {encoder.coded() == work.pictures && encoder.least_likeness() >= kLeastLikeness,
          bench::format("%d pictures in %zu bytes, likeness %.1f dB", encoder.coded(),
                        encoder.bytes(), encoder.least_likeness())};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "x264", run);
}
