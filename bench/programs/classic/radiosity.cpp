// radiosity: diffuse light in a room, by hierarchical radiosity. In the spirit of radiosity of the
// SPLASH suite.
//
// The walls are cut into patches, each the root of a quadtree of elements. An element has a list of
// links to the elements it receives light from. A link that carries too much light to be one number
// is refined: its source or its receiver, whichever is larger, is cut into four, and links to the
// parts take its place. So trees and lists grow where light is, as it spreads.
//
// An iteration has two phases. In the first a task for each element refines its links, gathers over
// them and makes tasks for its children; tasks are in queues, one per thread, that others steal
// from. Two threads may want the same element in parts: children are made and looked up under the
// lock of the element. In the second, each tree passes what was gathered down to the leaves and
// averages back up. Iterations end when the light in the room no longer changes.
//
// What a link carries in an iteration does not depend on threads, nor does the result. The room is
// convex and closed and reflects the same share everywhere, so that the total light has a closed
// form. Valid if it is met; if each leaf sees one whole environment, that is, if the form factors
// of the links of the leaf and of all above it add up to one; and if the four walls of the
// symmetric room have the same light.
#include <algorithm>
#include <array>
#include <barrier>
#include <cmath>
#include <memory>
#include <mutex>
#include <numbers>
#include <utility>
#include <vector>

#include "bench/programs/common/program.h"
#include "bench/programs/common/task_queues.h"
#include "bench/programs/common/team.h"
#include "bench/programs/common/vec3.h"

namespace {

using Vec = bench::Vec3<double>;

// The most light, of one for the lamp, that a link may carry.
constexpr bench::BySize<double> kLinkLimit{1e-3, 3e-5, 5e-6, 1.2e-6, 4e-7};
constexpr int kPatchesAcross = 3;  // of a wall; the middle one of the ceiling is the lamp
constexpr double kLampPower = 1;
constexpr double kReflectance = 0.6;
constexpr double kSmallestArea = 1e-5;  // is not cut further
constexpr int kMaxIterations = 40;
constexpr double kConverged = 1e-5;  // the light that an iteration may add at the end

// A parallelogram; its front is where the other walls are.
struct Shape {
  Vec corner, u, v;

  Vec centre() const { return corner + 0.5 * (u + v); }
  Vec normal() const { return normalised(cross(u, v)); }
  double area() const { return length(cross(u, v)); }
  Shape quarter(int i) const {
    const Vec half_u = 0.5 * u, half_v = 0.5 * v;
    return {corner + (i % 2) * half_u + (i / 2) * half_v, half_u, half_v};
  }
};

// The share of the light leaving the centre of `from` that meets `to`: Lambert's formula for a
// polygon. REQUIRES: each is in front of the other.
double form_factor(const Shape& from, const Shape& to) {
  const Vec eye = from.centre(), normal = from.normal();
  const std::array<Vec, 4> corners{to.corner, to.corner + to.v, to.corner + to.u + to.v,
                                   to.corner + to.u};
  double sum = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const Vec a = corners[i] - eye, b = corners[(i + 1) % 4] - eye;
    const Vec across = cross(a, b);
    const double size = length(across);
    if (size > 0) sum += std::atan2(size, dot(a, b)) * dot(normal, across) / size;
  }
  return sum / (2 * std::numbers::pi);
}

struct Element;

struct Link {
  Element* source;
  double factor;  // the share of the receiver's view that the source takes
};

struct Element {
  explicit Element(const Shape& shape, double emission, double radiosity)
      : shape(shape), area(shape.area()), emission(emission), radiosity(radiosity) {}

  bool can_be_cut() const { return area > 4 * kSmallestArea; }

  const Shape shape;
  const double area;
  const double emission;
  double radiosity;         // written between the gathering phases only
  double gathered = 0;      // over the element's own links, by its task
  std::vector<Link> links;  // changed by the task of the parent, then by the element's own
  std::mutex mutex;
  std::unique_ptr<std::array<Element, 4>> children;  // guarded by mutex while links are refined
};

// The four parts of an element, made by whoever asks first.
std::array<Element, 4>& cut(Element& element) {
  std::lock_guard lock(element.mutex);
  if (!element.children) {
    const auto part = [&element](int i) {
      return Element(element.shape.quarter(i), element.emission, element.radiosity);
    };
    element.children.reset(new std::array<Element, 4>{part(0), part(1), part(2), part(3)});
  }
  return *element.children;
}

std::array<Element, 4>* parts_if_cut(Element& element) {
  std::lock_guard lock(element.mutex);
  return element.children.get();
}

Link link_between(const Element& receiver, Element& source) {
  return {&source, form_factor(receiver.shape, source.shape)};
}

class Room {
 public:
  explicit Room(double link_limit) : link_limit_(link_limit) {
    // The corner and the edges of the six walls of a cube, fronts inwards; the ceiling is last.
    const std::array<Shape, 6> walls{{{{0, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                      {{1, 0, 0}, {0, 0, 1}, {0, 1, 0}},
                                      {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}},
                                      {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}},
                                      {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                                      {{0, 0, 1}, {0, 1, 0}, {1, 0, 0}}}};
    for (std::size_t wall = 0; wall < walls.size(); ++wall) add_patches(walls[wall], wall == 5);
    for (std::size_t to = 0; to < patches_.size(); ++to) {
      for (std::size_t from = 0; from < patches_.size(); ++from) {
        if (to / kPerWall == from / kPerWall) continue;
        patches_[to]->links.push_back(link_between(*patches_[to], *patches_[from]));
      }
    }
  }

  void light(int threads);

  bool has_converged() const { return has_converged_; }
  int iterations() const { return iterations_; }
  double total() const { return total_; }
  bool views_are_whole() const;
  bool walls_are_alike() const;
  std::size_t links() const;

 private:
  static constexpr std::size_t kPerWall = kPatchesAcross * kPatchesAcross;

  struct Views {
    double smallest = 1, largest = 1;
    double mean = 0;  // weighted by area
  };

  void add_patches(const Shape& wall, bool is_ceiling);
  void run_thread(int id, int threads, bench::TaskQueues<Element*>& tasks,
                  std::vector<double>& totals, std::barrier<>& barrier);
  void refine_links(Element& element) const;
  bool carries_too_much(const Element& receiver, const Link& link) const {
    return link.factor * receiver.area * link.source->radiosity > link_limit_;
  }
  static void gather(Element& element);
  static double spread(Element& element, double from_above);
  static void add_views(const Element& element, double from_above, Views& views);

  const double link_limit_;
  std::vector<std::unique_ptr<Element>> patches_;  // wall by wall
  bool has_converged_ = false;
  int iterations_ = 0;
  double total_ = 0;
};

void Room::add_patches(const Shape& wall, bool is_ceiling) {
  const Vec u = (1.0 / kPatchesAcross) * wall.u, v = (1.0 / kPatchesAcross) * wall.v;
  for (int i = 0; i < kPatchesAcross; ++i) {
    for (int j = 0; j < kPatchesAcross; ++j) {
      const Shape shape{wall.corner + i * u + j * v, u, v};
      const bool is_lamp = is_ceiling && i == kPatchesAcross / 2 && j == kPatchesAcross / 2;
      const double emission = is_lamp ? kLampPower / shape.area() : 0;
      patches_.push_back(std::make_unique<Element>(shape, emission, emission));
    }
  }
}

void Room::light(int threads) {
  bench::TaskQueues<Element*> tasks(threads);
  std::vector<double> totals(patches_.size());
  std::barrier barrier(threads);
  bench::run_team(threads, [&](int id) { run_thread(id, threads, tasks, totals, barrier); });
}

void Room::run_thread(int id, int threads, bench::TaskQueues<Element*>& tasks,
                      std::vector<double>& totals, std::barrier<>& barrier) {
  const auto own = bench::block_of(0, patches_.size(), id, threads);
  double before = 0;
  for (int iteration = 1; iteration <= kMaxIterations; ++iteration) {
    for (std::size_t i = own.begin; i < own.end; ++i) tasks.push(id, patches_[i].get());
    barrier.arrive_and_wait();
    tasks.work(id, [&](Element* element) {
      refine_links(*element);
      gather(*element);
      if (auto* parts = parts_if_cut(*element)) {
        for (Element& part : *parts) tasks.push(id, &part);
      }
    });
    // No task is left anywhere, so nobody gathers any more.
    for (std::size_t i = own.begin; i < own.end; ++i) {
      totals[i] = patches_[i]->area * spread(*patches_[i], 0);
    }
    barrier.arrive_and_wait();
    double total = 0;
    for (double patch : totals) total += patch;
    const bool converged = std::abs(total - before) <= kConverged;
    if (id == 0) total_ = total, iterations_ = iteration, has_converged_ = converged;
    if (converged) return;  // all threads have added the same numbers
    before = total;
  }
}

// What a part of the element is to receive becomes a link of the part, whose task comes later.
void Room::refine_links(Element& element) const {
  std::vector<Link> kept, open;
  open.swap(element.links);
  while (!open.empty()) {
    const Link link = open.back();
    open.pop_back();
    Element& source = *link.source;
    if (!carries_too_much(element, link) || !(element.can_be_cut() || source.can_be_cut())) {
      kept.push_back(link);
    } else if (source.area >= element.area) {
      for (Element& part : cut(source)) open.push_back(link_between(element, part));
    } else {
      for (Element& part : cut(element)) part.links.push_back(link_between(part, source));
    }
  }
  element.links = std::move(kept);
}

void Room::gather(Element& element) {
  double sum = 0;
  for (const Link& link : element.links) sum += link.factor * link.source->radiosity;
  element.gathered = kReflectance * sum;
}

// Returns the radiosity of the element.
double Room::spread(Element& element, double from_above) {
  const double received = from_above + element.gathered;
  double radiosity = element.emission + received;
  if (element.children) {
    radiosity = 0;
    for (Element& part : *element.children) radiosity += spread(part, received) / 4;
  }
  return element.radiosity = radiosity;
}

void Room::add_views(const Element& element, double from_above, Views& views) {
  double seen = from_above;
  for (const Link& link : element.links) seen += link.factor;
  if (element.children) {
    for (const Element& part : *element.children) add_views(part, seen, views);
    return;
  }
  views.smallest = std::min(views.smallest, seen);
  views.largest = std::max(views.largest, seen);
  views.mean += seen * element.area / 6;
}

bool Room::views_are_whole() const {
  Views views;
  for (const auto& patch : patches_) add_views(*patch, 0, views);
  return views.smallest > 0.75 && views.largest < 1.75 && std::abs(views.mean - 1) < 0.025;
}

bool Room::walls_are_alike() const {
  std::array<double, 4> light{};
  for (std::size_t i = 0; i < 4 * kPerWall; ++i) {
    light[i / kPerWall] += patches_[i]->area * patches_[i]->radiosity;
  }
  for (double wall : light) {
    if (!(std::abs(wall - light[0]) <= 1e-6 * light[0])) return false;
  }
  return true;
}

std::size_t Room::links() const {
  std::size_t sum = 0;
  std::vector<const Element*> open;
  for (const auto& patch : patches_) open.push_back(patch.get());
  while (!open.empty()) {
    const Element* element = open.back();
    open.pop_back();
    sum += element->links.size();
    if (!element->children) continue;
    for (const Element& part : *element->children) open.push_back(&part);
  }
  return sum;
}

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  Room room(kLinkLimit[options.size]);

  timer.start();
  room.light(options.threads);
  timer.stop();

  // What the lamp gives, and all of it that is reflected once, twice and so on.
  const double expected = kLampPower / (1 - kReflectance);
  const bool valid = room.has_converged() && std::abs(room.total() / expected - 1) <= 0.03 &&
                     room.views_are_whole() && room.walls_are_alike();
  return {valid, bench::format("%d iterations, %zu links, total light %.9f", room.iterations(),
                               room.links(), room.total())};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "radiosity", run);
}
