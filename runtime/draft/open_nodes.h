#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace outrider::draft {

/// The nodes by which a tree may grow, for growth by the best of them first; of equally good ones, by the one that was
/// opened first. Reuse allocates nothing once there was room for as many.
template <typename Node>
class OpenNodes {
 public:
  struct Open {
    double value;  // the larger, the better
    int number;    // in order of opening
    Node node;

    /// Whether it is worse: the order of a heap with the best on top.
    bool operator<(const Open& other) const {
      return value < other.value || (value == other.value && number > other.number);
    }
  };

  void clear() {
    heap_.clear();
    opened_ = 0;
  }
  void reserve(std::size_t most) { heap_.reserve(most); }
  bool empty() const { return heap_.empty(); }
  /// The best of at least one.
  const Open& best() const { return heap_.front(); }

  void open(double value, const Node& node) {
    heap_.push_back({value, opened_++, node});
    std::push_heap(heap_.begin(), heap_.end());
  }

  /// Takes the best out, of at least one.
  Open take() {
    std::pop_heap(heap_.begin(), heap_.end());
    const Open best = heap_.back();
    heap_.pop_back();
    return best;
  }

 private:
  std::vector<Open> heap_;
  int opened_ = 0;
};

}  // namespace outrider::draft
