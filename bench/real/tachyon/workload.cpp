// Tachyon: its threads render a pile of mirroring spheres of falling sizes between two planes, each
// thread every n-th line of the picture.
//
// Rays walk a hierarchy of grids and the lists of objects in their cells. All that is in the scene
// is there twice, above and below a plane that the camera looks along, so the picture is its own
// mirror image: line by line, of which one thread drew the one and, in a picture with an odd number
// of lines and with an even number of threads, another thread the other. Valid if it is, and if it
// is as bright as it should be.
#include <tachyon.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "bench/programs/common/program.h"

namespace {

struct Work {
  int lines;          // of the picture, odd; it is square
  int levels;         // of spheres upon spheres
  double brightness;  // of the picture: the mean of all bytes, measured once
};

constexpr bench::BySize<Work> kWork{{25, 2, 156.1525},
                                    {151, 4, 154.1517},
                                    {301, 5, 152.5783},
                                    {601, 5, 152.4182},
                                    {1'201, 5, 152.4175}};
constexpr double kBrightnessTolerance = 1e-4;  // of the brightness
constexpr int kSameColor = 2;                  // bytes may differ as much as rounding lets them

struct Vector {
  double x, y, z;
};

apivector api(const Vector& v) {
  return rt_vector(v.x, v.y, v.z);
}
Vector mirrored(const Vector& v) {
  return {v.x, -v.y, v.z};
}

class Scene {
 public:
  Scene(int lines, int threads) : lines_(lines), picture_(bytes_of_line() * lines) {
    rt_resolution(scene_, lines, lines);
    rt_set_numthreads(scene_, threads);
    rt_rawimage_rgb24(scene_, picture_.data());
    rt_outputfile(scene_, "");  // no file
    rt_verbose(scene_, 0);
    rt_aspectratio(scene_, 1);
    rt_camera_zoom(scene_, 1);
    rt_camera_raydepth(scene_, 5);
    rt_camera_position(scene_, rt_vector(-0.3, 0, -4), rt_vector(0, 0, 1), rt_vector(0, 1, 0));
    rt_background(scene_, rt_color(0.1F, 0.2F, 0.4F));
  }
  ~Scene() { rt_deletescene(scene_); }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  void add_light(const Vector& center) {
    for (const Vector& at : {center, mirrored(center)})
      rt_light(scene_, texture(1, 1, 0), api(at), 0.01);
  }

  void add_walls() {
    void* const stone = texture(0.9F, 0.8, 0.2);
    rt_plane(scene_, stone, rt_vector(0, -2, 0), rt_vector(0, 1, 0));
    rt_plane(scene_, stone, rt_vector(0, 2, 0), rt_vector(0, -1, 0));
  }

  // A sphere with six others upon it, and so on.
  void add_pile(const Vector& center, double radius, int levels) {
    rt_sphere(scene_, texture(0.8F, 0.4, 0.6), api(center), radius);
    if (levels == 1) return;
    const double reach = radius * 1.5;
    for (double side : {-reach, reach}) {
      add_pile({center.x + side, center.y, center.z}, radius / 2, levels - 1);
      add_pile({center.x, center.y + side, center.z}, radius / 2, levels - 1);
      add_pile({center.x, center.y, center.z + side}, radius / 2, levels - 1);
    }
  }

  void render() { rt_renderscene(scene_); }

  double brightness() const {
    double sum = 0;
    for (unsigned char byte : picture_) sum += byte;
    return sum / static_cast<double>(picture_.size());
  }

  // Tachyon's lines begin at 1 and the middle of the picture is at half their number: line 1 is
  // mirrored by the last but one, and the last by none. Rays that graze a sphere may miss it on one
  // side, so some bytes may differ.
  bool mirrors_itself() const {
    const std::size_t width = bytes_of_line();
    std::size_t different = 0;
    for (int line = 1; line < lines_ - line; ++line) {
      const unsigned char* here = picture_.data() + width * static_cast<std::size_t>(line - 1);
      const unsigned char* there =
          picture_.data() + width * static_cast<std::size_t>(lines_ - line - 1);
      for (std::size_t i = 0; i < width; ++i)
        if (std::abs(here[i] - there[i]) > kSameColor) ++different;
    }
    return different * 1000 <= picture_.size();
  }

 private:
  std::size_t bytes_of_line() const { return 3 * static_cast<std::size_t>(lines_); }

  void* texture(float red, double diffuse, double specular) {
    apitexture surface = {};
    surface.texturefunc = RT_TEXTURE_CONSTANT;
    surface.col = rt_color(red, 0.8F, 0.7F);
    surface.shadowcast = 1;
    surface.ambient = 0.1;
    surface.diffuse = diffuse;
    surface.specular = specular;
    surface.opacity = 1;
    return rt_texture(scene_, &surface);
  }

  const int lines_;
  SceneHandle scene_ = rt_newscene();
  std::vector<unsigned char> picture_;
};

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  const Work& work = kWork[options.size];
  Scene scene(work.lines, options.threads);
  scene.add_light({-3, 1, -4});
  scene.add_light({2, 1.5, -3});
  scene.add_walls();
  scene.add_pile({0, 0, 0}, 0.7, work.levels);

  timer.start();
  scene.render();
  timer.stop();

  const double brightness = scene.brightness();
  const bool bright_enough =
      std::abs(brightness - work.brightness) <= kBrightnessTolerance * work.brightness;
  return {bright_enough && scene.mirrors_itself(),
          bench::format("%d lines, brightness %.4f", work.lines, brightness)};
}

}  // namespace

int main(int argc, char** argv) {
  rt_initialize(nullptr, nullptr);
  const int verdict = bench::program_main(argc, argv, "tachyon", run);
  rt_finalize();
  return verdict;
}
