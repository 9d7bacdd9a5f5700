// raytracer: a scene of 64 spheres and five lights with reflection and refraction (Java Grande,
// section 3).
//
// Threads take every n-th line of the image. As in the published program each has a scene of its
// own and an array of its own with room for all pixels, which it fills with those of its lines one
// after the other; rays and hits belong to one thread, too: many small records, none of them
// shared. Each thread adds its part of the pixel checksum to the total under a lock.
//
// Valid if the checksum is the published one (A, B) or the one that a single thread finds (the
// other sizes), and the pixels that were kept add up to it.
//
// The racy variant adds to the checksum without the lock, as the published threaded program does.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "bench/programs/common/program.h"
#include "bench/programs/common/team.h"

namespace {

constexpr bench::BySize<int> kSide{16, 60, 150, 500, 1000};
constexpr bench::BySize<std::optional<std::int64_t>> kReferenceChecksum{
    std::nullopt, std::nullopt, 2676692, 29827635, std::nullopt};
constexpr int kSpheresPerAxis = 4;
constexpr int kMaxDepth = 6;

struct Vec {
  double x = 0, y = 0, z = 0;

  // Makes the length one, if it has one.
  void normalize() {
    const double length = std::sqrt(x * x + y * y + z * z);
    if (length > 0) x /= length, y /= length, z /= length;
  }
};

Vec operator+(const Vec& a, const Vec& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
Vec operator-(const Vec& a, const Vec& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
Vec operator-(const Vec& a) {
  return {-a.x, -a.y, -a.z};
}
Vec operator*(double s, const Vec& v) {
  return {s * v.x, s * v.y, s * v.z};
}
double dot(const Vec& a, const Vec& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
Vec cross(const Vec& a, const Vec& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
Vec normalized(Vec v) {
  v.normalize();
  return v;
}

struct Ray {
  Vec origin, direction;
};

struct Surface {
  Vec color;
  double diffuse = 1;
  double specular = 0.5;
  double transmitted = 0.5;
  double shine = 15;
};

struct Sphere {
  Vec center;
  double radius_squared;
  Surface surface;
};

struct Light {
  Vec position;
  double brightness;
};

struct Camera {
  Vec position, forward, up, left;
};

struct Scene {
  std::array<Sphere, kSpheresPerAxis * kSpheresPerAxis * kSpheresPerAxis> spheres;
  std::array<Light, 5> lights;
  Camera camera;
};

Camera make_camera() {
  constexpr Vec kFrom{0, 20, -30}, kAt{0, 0, 0}, kUp{0, 1, 0};
  const double width = std::tan(35.0 * 3.14159265 / 180.0);
  const Vec forward = normalized(kAt - kFrom);
  const Vec up = normalized(kUp - dot(kUp, forward) * forward);
  const Vec left = normalized(cross(kUp, forward));
  return {kFrom, forward, -width * up, width * left};
}

Scene make_scene() {
  Scene scene;
  constexpr int n = kSpheresPerAxis;
  const auto coordinate = [](int i) { return 20.0 / (n - 1) * i - 10.0; };
  auto next = scene.spheres.begin();
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) {
        Sphere& sphere = *next++;
        sphere = {{coordinate(i), coordinate(j), coordinate(k)}, 9.0, {}};
        sphere.surface.color = {0, 0, (i + j) / static_cast<double>(2 * n - 2)};
      }
    }
  }
  scene.lights = {{{{100, 100, -50}, 1},
                   {{-100, 100, -50}, 1},
                   {{100, -100, -50}, 1},
                   {{-100, -100, -50}, 1},
                   {{200, 200, 0}, 1}}};
  scene.camera = make_camera();
  return scene;
}

Vec reflected(const Vec& incoming, const Vec& normal) {
  return normalized((1 / std::abs(dot(incoming, normal))) * incoming + 2.0 * normal);
}

// All surfaces have the refractive index of the space around them.
std::optional<Vec> refracted(const Vec& incoming, const Vec& normal) {
  const double c1 = -dot(incoming, normal);
  const double cs2 = 1.0 - (1.0 - c1 * c1);
  if (cs2 < 0) return std::nullopt;
  return normalized(incoming + (c1 - std::sqrt(cs2)) * normal);
}

// One thread's view of the scene.
class Tracer {
 public:
  explicit Tracer(const Scene& scene) : scene_(scene) {}

  Vec pixel(double across, double down) {
    const Camera& c = scene_.camera;
    const Vec direction = normalized((across * c.left + down * c.up) + c.forward);
    return trace(0, 1.0, {c.position, direction});
  }

 private:
  struct Hit {
    const Sphere* sphere;
    double distance;
  };

  std::optional<Hit> intersect(const Ray& ray) const {
    constexpr double kNear = 1e-6, kFar = 1e9;
    Hit nearest{nullptr, kFar};
    for (const Sphere& sphere : scene_.spheres) {
      const Vec to_center = sphere.center - ray.origin;
      const double along = dot(to_center, ray.direction);
      const double discriminant = along * along - dot(to_center, to_center) + sphere.radius_squared;
      if (discriminant < 0) continue;
      const double half_chord = std::sqrt(discriminant);
      const double distance = along - half_chord < kNear ? along + half_chord : along - half_chord;
      if (distance >= kNear && distance < nearest.distance) nearest = {&sphere, distance};
    }
    if (nearest.sphere == nullptr) return std::nullopt;
    return nearest;
  }

  Vec trace(int depth, double weight, const Ray& ray) {
    if (depth > kMaxDepth) return {};
    const auto hit = intersect(ray);
    if (!hit) return {};
    const Vec point = ray.origin + hit->distance * ray.direction;
    Vec normal = normalized(point - hit->sphere->center);
    if (dot(ray.direction, normal) >= 0) normal = -normal;
    const Vec incoming = ray.direction;
    return shade(depth, weight, hit->sphere->surface, point, normal, incoming);
  }

  Vec shade(int depth, double weight, const Surface& surface, const Vec& point, const Vec& normal,
            const Vec& incoming) {
    const Vec mirror = reflected(incoming, normal);
    Vec color = direct_light(surface, point, normal, mirror);
    secondary_.origin = point;
    if (surface.specular * weight > 1e-3) {
      secondary_.direction = mirror;
      color = color + surface.specular * trace(depth + 1, surface.specular * weight, secondary_);
    }
    if (surface.transmitted * weight > 1e-3) {
      secondary_.direction = refracted(incoming, normal).value_or(Vec{});
      color =
          color + surface.transmitted * trace(depth + 1, surface.transmitted * weight, secondary_);
    }
    return color;
  }

  Vec direct_light(const Surface& surface, const Vec& point, const Vec& normal,
                   const Vec& mirror) const {
    Vec color;
    for (const Light& light : scene_.lights) {
      Vec to_light = light.position - point;
      if (dot(normal, to_light) < 0) continue;
      to_light.normalize();
      if (intersect({point, to_light})) continue;
      color = color + (dot(normal, to_light) * surface.diffuse * light.brightness) * surface.color;
      const double glint = dot(mirror, to_light);
      if (glint <= 1e-6) continue;
      const double highlight = std::pow(glint, surface.shine);
      color = color + Vec{highlight, highlight, highlight};
    }
    return color;
  }

  const Scene& scene_;
  // The published program has one secondary ray per thread, so that a refracted ray starts where
  // the reflected one last was. Its checksums are those of the picture this gives.
  Ray secondary_;
};

std::int64_t quantize(double channel) {
  return std::min(255, static_cast<int>(channel * 255));
}

// What one thread has made of the picture.
struct Lines {
  std::unique_ptr<std::uint32_t[]> pixels;  // the first `count` of them are set
  std::size_t count = 0;
  std::int64_t sum = 0;  // of their channel values

  bool add_up() const {
    std::int64_t found = 0;
    for (std::size_t i = 0; i < count; ++i)
      found += (pixels[i] >> 16 & 255) + (pixels[i] >> 8 & 255) + (pixels[i] & 255);
    return found == sum;
  }
};

// Renders every `stride`-th line from `first` on.
Lines render(int side, int first, int stride) {
  const Scene scene = make_scene();
  Tracer tracer(scene);
  const auto room = static_cast<std::size_t>(side) * static_cast<std::size_t>(side);
  Lines lines{std::make_unique_for_overwrite<std::uint32_t[]>(room)};
  for (int y = first; y < side; y += stride) {
    for (int x = 0; x < side; ++x) {
      const Vec color = tracer.pixel(2.0 * x / side - 1.0, 2.0 * y / side - 1.0);
      const std::int64_t red = quantize(color.x), green = quantize(color.y),
                         blue = quantize(color.z);
      lines.sum += red + green + blue;
      lines.pixels[lines.count++] =
          static_cast<std::uint32_t>(255u << 24 | red << 16 | green << 8 | blue);
    }
  }
  return lines;
}

class Total {
 public:
  void add(std::int64_t part) {
    if constexpr (bench::kRacy) {
      checksum_ += part;
    } else {
      std::lock_guard lock(mutex_);
      checksum_ += part;
    }
  }

  // REQUIRES: the threads that add have been joined.
  std::int64_t checksum() const { return checksum_; }

 private:
  std::mutex mutex_;
  std::int64_t checksum_ = 0;  // guarded by mutex_
};

struct Picture {
  std::vector<Lines> by_thread;
  std::int64_t checksum = 0;

  bool adds_up() const { return std::ranges::all_of(by_thread, &Lines::add_up); }
};

Picture render_in_parallel(int side, int threads) {
  Picture picture;
  picture.by_thread.resize(static_cast<std::size_t>(threads));
  // On the heap, because some detectors do not look at stacks.
  const auto total = std::make_unique<Total>();
  bench::run_team(threads, [&](int id) {
    const auto self = static_cast<std::size_t>(id);
    picture.by_thread[self] = render(side, id, threads);
    total->add(picture.by_thread[self].sum);
  });
  picture.checksum = total->checksum();
  return picture;
}

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  const int side = kSide[options.size];

  timer.start();
  const Picture picture = render_in_parallel(side, options.threads);
  timer.stop();

  const auto& published = kReferenceChecksum[options.size];
  const std::int64_t expected = published ? *published : render(side, 0, 1).sum;
  return {picture.checksum == expected && picture.adds_up(),
          bench::format("%d x %d pixels, checksum %lld", side, side,
                        static_cast<long long>(picture.checksum))};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "raytracer", run);
}
