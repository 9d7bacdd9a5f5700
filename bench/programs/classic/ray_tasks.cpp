// ray_tasks: a ray tracer of spheres and triangles in a hierarchical grid, with tasks that are
// stolen. In the spirit of raytrace of the SPLASH suite.
//
// The scene is a flake of spheres, each with smaller ones around it, over a hilly ground of
// triangles. It is cut into a grid of cells that hold pointers to what is in them; a crowded cell
// holds a finer grid instead. Primary rays, shadows and reflections step from cell to cell. The
// scene is made by one thread and only read afterwards.
//
// The image is cut into tiles, shared out in blocks to queues, one per thread; a thread whose queue
// is empty takes the oldest tile of another. Each queue has a lock; the pixels of a tile belong to
// the thread that took it.
//
// A pixel does not depend on threads. Valid if every tile was made once, and sampled pixels agree
// with rays that are tried against everything in the scene.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "bench/programs/common/mix.h"
#include "bench/programs/common/program.h"
#include "bench/programs/common/task_queues.h"
#include "bench/programs/common/team.h"
#include "bench/programs/common/vec3.h"

namespace {

using Vec = bench::Vec3<double>;

struct Workload {
  int side;         // of the image, in pixels
  int generations;  // of spheres
  int hills;        // squares of the ground along a side
};

constexpr bench::BySize<Workload> kWorkload{
    {40, 3, 8}, {144, 4, 24}, {384, 5, 48}, {768, 5, 64}, {1536, 6, 96}};
constexpr int kTileSide = 8;
constexpr int kMaxBounces = 2;
constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kSkip = 1e-9;  // a ray does not hit where it starts

struct Ray {
  Vec origin, direction;

  Vec at(double distance) const { return origin + distance * direction; }
};

struct Bounds {
  Vec low{kNever, kNever, kNever}, high{-kNever, -kNever, -kNever};

  void include(const Bounds& o) {
    low = {std::min(low.x, o.low.x), std::min(low.y, o.low.y), std::min(low.z, o.low.z)};
    high = {std::max(high.x, o.high.x), std::max(high.y, o.high.y), std::max(high.z, o.high.z)};
  }
};

struct Surface {
  Vec colour;
  double mirror;  // the share of light that is reflected
};

class Primitive {
 public:
  explicit Primitive(const Surface& surface) : surface_(surface) {}
  virtual ~Primitive() = default;

  // The distance along the ray, or kNever.
  virtual double hit(const Ray& ray) const = 0;
  virtual Vec normal(const Vec& point) const = 0;
  virtual Bounds bounds() const = 0;

  const Surface& surface() const { return surface_; }

 private:
  const Surface surface_;
};

class Sphere : public Primitive {
 public:
  Sphere(const Vec& centre, double radius, const Surface& surface)
      : Primitive(surface), centre_(centre), radius_(radius) {}

  double hit(const Ray& ray) const override {
    const Vec to = centre_ - ray.origin;
    const double along = dot(to, ray.direction);
    const double inside = radius_ * radius_ - square(to) + along * along;
    if (inside < 0) return kNever;
    const double half = std::sqrt(inside);
    if (along - half > kSkip) return along - half;
    return along + half > kSkip ? along + half : kNever;
  }
  Vec normal(const Vec& point) const override { return (1 / radius_) * (point - centre_); }
  Bounds bounds() const override {
    const Vec r{radius_, radius_, radius_};
    return {centre_ - r, centre_ + r};
  }

 private:
  const Vec centre_;
  const double radius_;
};

class Triangle : public Primitive {
 public:
  Triangle(const Vec& a, const Vec& b, const Vec& c, const Surface& surface)
      : Primitive(surface), a_(a), ab_(b - a), ac_(c - a), normal_(normalised(cross(ab_, ac_))) {}

  // The corner weights by Cramer's rule.
  double hit(const Ray& ray) const override {
    const Vec p = cross(ray.direction, ac_);
    const double determinant = dot(ab_, p);
    if (std::abs(determinant) < 1e-14) return kNever;
    const Vec from = ray.origin - a_;
    const double u = dot(from, p) / determinant;
    const Vec q = cross(from, ab_);
    const double v = dot(ray.direction, q) / determinant;
    if (u < 0 || v < 0 || u + v > 1) return kNever;
    const double distance = dot(ac_, q) / determinant;
    return distance > kSkip ? distance : kNever;
  }
  Vec normal(const Vec&) const override { return normal_; }
  Bounds bounds() const override {
    Bounds box{a_, a_};
    for (const Vec& corner : {a_ + ab_, a_ + ac_}) box.include({corner, corner});
    return box;
  }

 private:
  const Vec a_, ab_, ac_, normal_;
};

using Primitives = std::vector<const Primitive*>;

struct Hit {
  double distance;
  const Primitive* what = nullptr;
};

// Makes the hit nearer if one of the primitives is.
void try_all(const Primitives& primitives, const Ray& ray, Hit& hit) {
  for (const Primitive* primitive : primitives) {
    const double distance = primitive->hit(ray);
    if (distance < hit.distance) hit = {distance, primitive};
  }
}

// A world that every ray tries in whole; what the grid is held against.
class Heap {
 public:
  explicit Heap(const Primitives& primitives) : primitives_(primitives) {}
  void find_nearest(const Ray& ray, Hit& hit) const { try_all(primitives_, ray, hit); }

 private:
  const Primitives& primitives_;
};

class Grid {
 public:
  Grid(const Primitives& primitives, const Bounds& bounds, int depth);
  Grid(const Grid&) = delete;
  Grid& operator=(const Grid&) = delete;

  void find_nearest(const Ray& ray, Hit& hit) const;

 private:
  struct Cell {
    Primitives primitives;
    std::unique_ptr<Grid> finer;  // if there is one, it has the primitives
  };
  // How a ray steps through the grid along one axis.
  struct Stepper {
    int cell, step, stop;  // stop: the first cell outside
    double next, spacing;  // distances along the ray of the next border, and between borders
  };

  static constexpr int kMaxDepth = 2;
  static constexpr std::size_t kCrowd = 10;

  std::size_t index(int x, int y, int z) const {
    return static_cast<std::size_t>((z * side_ + y) * side_ + x);
  }
  int clamp_cell(double offset, double size) const {
    return std::clamp(static_cast<int>(std::floor(offset / size)), 0, side_ - 1);
  }
  Bounds cell_bounds(int x, int y, int z) const {
    const Vec low = low_ + Vec{x * cell_.x, y * cell_.y, z * cell_.z};
    return {low, low + cell_};
  }
  void insert(const Primitive* primitive);
  Stepper stepper(double offset, double direction, double cell, double begin) const;

  Vec low_, cell_;  // the lowest corner, the size of a cell
  int side_;        // in cells
  std::vector<Cell> cells_;
};

Grid::Grid(const Primitives& primitives, const Bounds& bounds, int depth)
    : low_(bounds.low),
      side_(std::clamp(static_cast<int>(std::cbrt(2.0 * static_cast<double>(primitives.size()))), 2,
                       24)),
      cells_(static_cast<std::size_t>(side_) * side_ * side_) {
  cell_ = (1.0 / side_) * (bounds.high - bounds.low);
  for (const Primitive* primitive : primitives) insert(primitive);
  if (depth == kMaxDepth) return;
  for (int z = 0; z < side_; ++z) {
    for (int y = 0; y < side_; ++y) {
      for (int x = 0; x < side_; ++x) {
        Cell& cell = cells_[index(x, y, z)];
        if (cell.primitives.size() < kCrowd) continue;
        cell.finer = std::make_unique<Grid>(cell.primitives, cell_bounds(x, y, z), depth + 1);
        Primitives().swap(cell.primitives);
      }
    }
  }
}

// Into every cell that the bounds of the primitive touch.
void Grid::insert(const Primitive* primitive) {
  const Bounds bounds = primitive->bounds();
  const Vec margin = 1e-6 * cell_;  // for rounding
  const Vec low = bounds.low - low_ - margin, high = bounds.high - low_ + margin;
  for (int z = clamp_cell(low.z, cell_.z); z <= clamp_cell(high.z, cell_.z); ++z) {
    for (int y = clamp_cell(low.y, cell_.y); y <= clamp_cell(high.y, cell_.y); ++y) {
      for (int x = clamp_cell(low.x, cell_.x); x <= clamp_cell(high.x, cell_.x); ++x) {
        cells_[index(x, y, z)].primitives.push_back(primitive);
      }
    }
  }
}

// offset: from the low side of the grid to where the ray starts; begin: how far along the ray the
// grid is entered.
Grid::Stepper Grid::stepper(double offset, double direction, double cell, double begin) const {
  const int first = clamp_cell(offset + begin * direction, cell);
  if (direction == 0) return {first, 0, side_, kNever, kNever};
  if (direction > 0)
    return {first, 1, side_, ((first + 1) * cell - offset) / direction, cell / direction};
  return {first, -1, -1, (first * cell - offset) / direction, -cell / direction};
}

// The part of the ray between two planes, cut out of [begin, end].
void clip(double offset, double direction, double size, double& begin, double& end) {
  if (direction == 0) {
    if (offset < 0 || offset > size) end = -kNever;
    return;
  }
  const double a = -offset / direction, b = (size - offset) / direction;
  begin = std::max(begin, std::min(a, b));
  end = std::min(end, std::max(a, b));
}

void Grid::find_nearest(const Ray& ray, Hit& hit) const {
  const Vec offset = ray.origin - low_;
  const Vec& direction = ray.direction;
  double begin = 0, end = hit.distance;
  clip(offset.x, direction.x, side_ * cell_.x, begin, end);
  clip(offset.y, direction.y, side_ * cell_.y, begin, end);
  clip(offset.z, direction.z, side_ * cell_.z, begin, end);
  if (begin > end) return;
  std::array<Stepper, 3> axes{stepper(offset.x, direction.x, cell_.x, begin),
                              stepper(offset.y, direction.y, cell_.y, begin),
                              stepper(offset.z, direction.z, cell_.z, begin)};
  while (true) {
    const Cell& cell = cells_[index(axes[0].cell, axes[1].cell, axes[2].cell)];
    if (cell.finer) {
      cell.finer->find_nearest(ray, hit);
    } else {
      try_all(cell.primitives, ray, hit);
    }
    Stepper& nearest = axes[0].next <= axes[1].next
                           ? (axes[0].next <= axes[2].next ? axes[0] : axes[2])
                           : (axes[1].next <= axes[2].next ? axes[1] : axes[2]);
    if (hit.distance <= nearest.next) return;
    nearest.cell += nearest.step;
    if (nearest.cell == nearest.stop) return;
    nearest.next += nearest.spacing;
  }
}

class Scene {
 public:
  explicit Scene(const Workload& workload) {
    grow_flake({0, 0, 1.2}, 1, {0, 0, -1}, workload.generations);
    lay_ground(workload.hills);
  }

  const Primitives& primitives() const { return primitives_; }
  Bounds bounds() const {
    Bounds all;
    for (const Primitive* primitive : primitives_) all.include(primitive->bounds());
    return all;
  }

 private:
  void add(std::unique_ptr<Primitive> primitive) {
    primitives_.push_back(primitive.get());
    owned_.push_back(std::move(primitive));
  }

  // A sphere and half as large ones on its six sides, without that on which it sits.
  void grow_flake(const Vec& centre, double radius, const Vec& foot, int generations) {
    const double shade = 0.3 + 0.1 * generations;
    add(std::make_unique<Sphere>(centre, radius, Surface{{0.9, shade, 0.4}, 0.3}));
    if (generations == 1) return;
    for (const Vec& side :
         {Vec{1, 0, 0}, Vec{-1, 0, 0}, Vec{0, 1, 0}, Vec{0, -1, 0}, Vec{0, 0, 1}, Vec{0, 0, -1}}) {
      if (dot(side, foot) > 0.5) continue;
      grow_flake(centre + (1.45 * radius) * side, 0.45 * radius, -1.0 * side, generations - 1);
    }
  }

  void lay_ground(int squares) {
    constexpr double kHalf = 6;
    const auto corner = [squares](int i, int j) {
      const double height = 0.3 * bench::Random(static_cast<std::uint64_t>(i * 1000 + j)).unit();
      return Vec{kHalf * (2.0 * i / squares - 1), kHalf * (2.0 * j / squares - 1), height - 1.5};
    };
    for (int i = 0; i < squares; ++i) {
      for (int j = 0; j < squares; ++j) {
        const Surface surface{(i + j) % 2 == 0 ? Vec{0.8, 0.8, 0.7} : Vec{0.2, 0.4, 0.3}, 0.1};
        add(std::make_unique<Triangle>(corner(i, j), corner(i + 1, j), corner(i, j + 1), surface));
        add(std::make_unique<Triangle>(corner(i + 1, j + 1), corner(i, j + 1), corner(i + 1, j),
                                       surface));
      }
    }
  }

  std::vector<std::unique_ptr<Primitive>> owned_;
  Primitives primitives_;
};

// The light that comes back along a ray. World: Grid or Heap.
template <typename World>
Vec trace(const World& world, const Ray& ray, int bounces) {
  constexpr std::array<Vec, 2> kLights{{{4, -5, 7}, {-6, -3, 5}}};
  Hit hit{kNever};
  world.find_nearest(ray, hit);
  if (hit.what == nullptr) return {0.3, 0.4, 0.5 + 0.3 * ray.direction.z};

  const Vec point = ray.at(hit.distance);
  Vec normal = hit.what->normal(point);
  if (dot(normal, ray.direction) > 0) normal *= -1;
  const Vec start = point + 1e-7 * normal;
  double lit = 0.15;
  for (const Vec& light : kLights) {
    const Vec to = light - start;
    const double distance = length(to), facing = dot(to, normal) / distance;
    if (facing <= 0) continue;
    Hit shadow{distance};
    world.find_nearest({start, (1 / distance) * to}, shadow);
    if (shadow.what == nullptr) lit += 0.45 * facing;
  }
  const Surface& surface = hit.what->surface();
  if (bounces == 0) return lit * surface.colour;
  const Vec mirrored = ray.direction - (2 * dot(ray.direction, normal)) * normal;
  return (lit * (1 - surface.mirror)) * surface.colour +
         surface.mirror * trace(world, {start, normalised(mirrored)}, bounces - 1);
}

struct Pixel {
  int x, y;
};

template <typename World>
Vec colour_of(const World& world, Pixel pixel, int side) {
  constexpr Vec kEye{3.2, -7.1, 2.9};
  const Vec forward = normalised(Vec{0, 0, 0.3} - kEye);
  const Vec right = normalised(cross(forward, {0, 0, 1})), up = cross(right, forward);
  const double u = (pixel.x + 0.5) / side - 0.5, v = 0.5 - (pixel.y + 0.5) / side;
  return trace(world, {kEye, normalised(forward + (0.9 * u) * right + (0.9 * v) * up)},
               kMaxBounces);
}

class Image {
 public:
  explicit Image(int side)
      : side_(side),
        pixels_(static_cast<std::size_t>(side) * side),
        times_made_(static_cast<std::size_t>(tiles_across()) * tiles_across()) {}

  void render(const Grid& grid, int threads) {
    bench::TaskQueues<std::size_t> tiles(threads);
    for (int id = 0; id < threads; ++id) {
      const auto own = bench::block_of(0, times_made_.size(), id, threads);
      for (std::size_t tile = own.begin; tile < own.end; ++tile) tiles.push(id, tile);
    }
    bench::run_team(
        threads, [&](int id) { tiles.work(id, [&](std::size_t tile) { make_tile(grid, tile); }); });
  }

  bool every_tile_was_made_once() const {
    return std::all_of(times_made_.begin(), times_made_.end(),
                       [](int times) { return times == 1; });
  }

  bool samples_agree(const Heap& heap) const {
    constexpr std::uint64_t kSamples = 100;
    bench::Random random(7);
    for (std::uint64_t i = 0; i < kSamples; ++i) {
      const auto place = static_cast<int>(random.below(pixels_.size()));
      const Pixel pixel{place % side_, place / side_};
      const Vec error = colour_of(heap, pixel, side_) - pixels_[static_cast<std::size_t>(place)];
      if (!(length(error) <= 1e-9)) return false;
    }
    return true;
  }

  Vec mean() const {
    Vec sum;
    for (const Vec& pixel : pixels_) sum += pixel;
    return (1 / static_cast<double>(pixels_.size())) * sum;
  }

 private:
  int tiles_across() const { return side_ / kTileSide; }

  void make_tile(const Grid& grid, std::size_t tile) {
    const int x = static_cast<int>(tile) % tiles_across() * kTileSide;
    const int y = static_cast<int>(tile) / tiles_across() * kTileSide;
    for (int i = 0; i < kTileSide; ++i) {
      for (int j = 0; j < kTileSide; ++j) {
        pixels_[static_cast<std::size_t>((y + i) * side_ + x + j)] =
            colour_of(grid, {x + j, y + i}, side_);
      }
    }
    ++times_made_[tile];
  }

  const int side_;
  std::vector<Vec> pixels_;
  std::vector<int> times_made_;  // per tile
};

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  const Workload& workload = kWorkload[options.size];
  const Scene scene(workload);
  const Grid grid(scene.primitives(), scene.bounds(), 0);
  Image image(workload.side);

  timer.start();
  image.render(grid, options.threads);
  timer.stop();

  const Vec mean = image.mean();
  return {image.every_tile_was_made_once() && image.samples_agree(Heap(scene.primitives())),
          bench::format("%zu primitives, mean colour %.6f %.6f %.6f", scene.primitives().size(),
                        mean.x, mean.y, mean.z)};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "ray_tasks", run);
}
