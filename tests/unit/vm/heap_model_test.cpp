// The collectors against a model: a graph of objects that changes at random, in which the test
// knows by number what each field refers to. After each collection everything reachable must be
// there, and exactly the rest must have been given back.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "frontends/bfj/vm/heap.h"
#include "frontends/bfj/vm/space.h"

namespace bigfoot::vm {
namespace {

constexpr Actor kWho{0, 0};
constexpr std::size_t kRoots = 4;
constexpr std::uint32_t kMaxUnits = 5;

enum class Kind { Semispace, MarkSweep, Concurrent };

using Serial = std::uint64_t;  // 0: no reference

class Game : public Monitor {
 public:
  Game(Kind kind, std::uint32_t seed)
      : kind_(kind),
        choices_(seed),
        heap_(kind == Kind::Semispace ? make_semispace(*this, 1 << 18)
                                      : make_mark_sweep(*this, 1 << 18, kind == Kind::Concurrent)) {
  }

  // What is wrong after so many steps; empty: nothing.
  std::string play(int steps) {
    for (int i = 0; i < steps && wrong_.empty(); ++i) step();
    return wrong_;
  }

  void freed(const Actor&, std::span<const Memory> blocks) override {
    if (kind_ == Kind::Semispace) return;
    for (const Memory& m : blocks) freed_.insert(m.begin);
  }

 private:
  std::uint32_t pick(std::size_t n) { return static_cast<std::uint32_t>(choices_() % n); }

  void step() {
    switch (pick(8)) {
      case 0:
      case 1:
        return allocate(pick(kRoots));
      case 2:
        return set_root(pick(kRoots), Value(), 0);
      case 3:
        return load(pick(kRoots), pick(kRoots));
      case 4:
      case 5:
      case 6:
        return store(pick(kRoots), pick(kRoots));
      default:
        return kind_ == Kind::Concurrent && !marking_ ? begin() : collect();
    }
  }

  void set_root(std::uint32_t root, Value v, Serial serial) {
    roots_[root] = v;
    model_roots_[root] = serial;
  }
  void allocate(std::uint32_t root) {
    Object* o = heap_->allocate(kWho, 1 + pick(kMaxUnits), false);
    if (o == nullptr) return;
    fields_[o->serial].resize(o->units);
    where_[o->serial] = address_of(o);
    set_root(root, Value::object(o), o->serial);
  }
  void load(std::uint32_t from, std::uint32_t to) {
    if (model_roots_[from] == 0) return;
    const auto& fields = fields_[model_roots_[from]];
    const std::uint32_t unit = pick(fields.size());
    set_root(to, roots_[from].target()->load(unit), fields[unit]);
  }
  void store(std::uint32_t object, std::uint32_t value) {
    if (model_roots_[object] == 0) return;
    auto& fields = fields_[model_roots_[object]];
    const std::uint32_t unit = pick(fields.size());
    Object* o = roots_[object].target();
    heap_->overwriting(kWho, o->load(unit));
    o->store(unit, roots_[value]);
    fields[unit] = model_roots_[value];
  }

  Roots roots() {
    return [this](const std::function<void(Value&)>& visit) {
      for (Value& v : roots_) visit(v);
    };
  }
  void begin() {
    heap_->begin_marking(kWho, roots());
    marking_ = true;
    // Half of the time marking is done at once, half of the time only at the end.
    if (pick(2) == 0) heap_->mark_concurrently(kWho);
    for (const Serial s : reachable()) snapshot_.insert(s);
    oldest_young_ = fields_.empty() ? 1 : fields_.rbegin()->first + 1;
  }
  void collect() {
    std::set<Serial> kept = reachable();
    if (marking_) {  // also all that was reachable at its beginning, and all that was made since
      kept.insert(snapshot_.begin(), snapshot_.end());
      for (const auto& [serial, fields] : fields_)
        if (serial >= oldest_young_) kept.insert(serial);
    }
    heap_->collect(kWho, roots());
    marking_ = false;
    snapshot_.clear();
    check_freed(kept);
    for (std::size_t i = 0; i < kRoots; ++i) check_reference(roots_[i], model_roots_[i]);
    seen_.clear();
  }

  std::set<Serial> reachable() const {
    std::set<Serial> found;
    std::vector<Serial> open(model_roots_.begin(), model_roots_.end());
    while (!open.empty()) {
      const Serial s = open.back();
      open.pop_back();
      if (s == 0 || !found.insert(s).second) continue;
      const auto& fields = fields_.at(s);
      open.insert(open.end(), fields.begin(), fields.end());
    }
    return found;
  }

  void check_freed(const std::set<Serial>& kept) {
    for (auto it = fields_.begin(); it != fields_.end();) {
      const bool dies = !kept.contains(it->first);
      if (kind_ != Kind::Semispace && freed_.contains(where_[it->first]) != dies)
        complain("object " + std::to_string(it->first) + (dies ? " was not freed" : " was freed"));
      if (dies) where_.erase(it->first);
      it = dies ? fields_.erase(it) : std::next(it);
    }
    freed_.clear();
  }
  void check_reference(Value v, Serial expected) {
    if (expected == 0) {
      if (v != Value()) complain("a reference from nowhere");
      return;
    }
    if (!v.is_object() || v.target()->serial != expected)
      return complain("a reference to object " + std::to_string(expected) + " is lost");
    if (!seen_.insert(expected).second) return;
    const auto& fields = fields_.at(expected);
    if (v.target()->units != fields.size()) return complain("the size has changed");
    for (std::uint32_t i = 0; i < fields.size(); ++i)
      check_reference(v.target()->load(i), fields[i]);
  }
  void complain(const std::string& what) {
    if (wrong_.empty()) wrong_ = what;
  }

  const Kind kind_;
  std::minstd_rand choices_;
  std::unique_ptr<Heap> heap_;
  std::string wrong_;
  bool marking_ = false;
  Serial oldest_young_ = 0;
  std::set<Serial> snapshot_, seen_;

  std::array<Value, kRoots> roots_;
  std::array<Serial, kRoots> model_roots_ = {};
  std::map<Serial, std::vector<Serial>> fields_;  // of all objects that may still exist
  std::map<Serial, std::uintptr_t> where_;
  std::set<std::uintptr_t> freed_;
};

class HeapModel : public ::testing::TestWithParam<Kind> {};
std::string name_of(const ::testing::TestParamInfo<Kind>& info) {
  constexpr const char* kNames[] = {"Semispace", "MarkSweep", "Concurrent"};
  return kNames[static_cast<int>(info.param)];
}
INSTANTIATE_TEST_SUITE_P(Collectors, HeapModel,
                         ::testing::Values(Kind::Semispace, Kind::MarkSweep, Kind::Concurrent),
                         name_of);

TEST_P(HeapModel, KeepsExactlyWhatIsReachable) {
  constexpr int kSteps = 400;
  for (std::uint32_t seed = 1; seed <= 100; ++seed) {
    if (Game(GetParam(), seed).play(kSteps).empty()) continue;
    // The first steps are the same however many follow: the shortest game that goes wrong.
    int steps = 1;
    while (Game(GetParam(), seed).play(steps).empty()) ++steps;
    FAIL() << "seed " << seed << ", " << steps << " steps: " << Game(GetParam(), seed).play(steps);
  }
}

}  // namespace
}  // namespace bigfoot::vm
