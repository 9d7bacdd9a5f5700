// A set of items that remembers its changes, step by step, and can take them back.
//
// What lies ahead is computed from the end of a block to its start and asked for from its start to
// its end. Keeping the set of every point would cost the square of the block's length.
#pragma once

#include <utility>
#include <vector>

#include "analysis/good_checks/knowledge.h"

namespace bigfoot::good_checks {

class Journal {
 public:
  explicit Journal(Items start) : now_(std::move(start)) {}
  const Items& now() const { return now_; }

  void begin_step() { steps_.push_back(edits_.size()); }
  void insert(const Item& item) {
    if (now_.insert(item).second) edits_.push_back({item, true});
  }
  template <class Unwanted>
  void erase_if(Unwanted&& unwanted) {
    for (auto it = now_.begin(); it != now_.end();) {
      if (unwanted(*it)) {
        edits_.push_back({*it, false});
        it = now_.erase(it);
      } else {
        ++it;
      }
    }
  }
  void assign(const Items& items) {
    erase_if([&](const Item& i) { return !items.contains(i); });
    for (const Item& i : items) insert(i);
  }

  // REQUIRES: a step was begun that has not been taken back.
  void undo_step() {
    const std::size_t begin = steps_.back();
    steps_.pop_back();
    for (; edits_.size() > begin; edits_.pop_back()) {
      if (edits_.back().inserted) {
        now_.erase(edits_.back().item);
      } else {
        now_.insert(std::move(edits_.back().item));
      }
    }
  }

 private:
  struct Edit {
    Item item;
    bool inserted;
  };
  Items now_;
  std::vector<Edit> edits_;
  std::vector<std::size_t> steps_;  // where each began
};

}  // namespace bigfoot::good_checks
