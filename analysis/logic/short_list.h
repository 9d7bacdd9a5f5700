// A vector that keeps a few elements in place.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <initializer_list>
#include <vector>

namespace bigfoot::logic {

// Nearly all expressions have one or two terms, nearly all facts one source, and placement copies
// them by the million: with plain vectors for terms half its time went to the allocator.
template <class T, std::size_t kInPlace>
class ShortList {
 public:
  using value_type = T;
  ShortList() = default;
  ShortList(std::initializer_list<T> all) {
    for (const T& t : all) push_back(t);
  }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T* begin() const { return size_ <= kInPlace ? in_place_.data() : spilled_.data(); }
  const T* end() const { return begin() + size_; }
  const T& operator[](std::size_t i) const { return begin()[i]; }
  void push_back(const T& t) {
    if (size_ < kInPlace) {
      in_place_[size_] = t;
    } else {
      if (size_ == kInPlace) spilled_.assign(in_place_.begin(), in_place_.end());
      spilled_.push_back(t);
    }
    ++size_;
  }
  std::strong_ordering operator<=>(const ShortList& o) const {
    return std::lexicographical_compare_three_way(begin(), end(), o.begin(), o.end());
  }
  bool operator==(const ShortList& o) const {
    return size_ == o.size_ && std::equal(begin(), end(), o.begin());
  }

 private:
  std::size_t size_ = 0;
  std::array<T, kInPlace> in_place_{};
  std::vector<T> spilled_;
};

}  // namespace bigfoot::logic
