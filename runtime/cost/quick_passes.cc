#include "runtime/cost/quick_passes.h"

#include <algorithm>
#include <cmath>

#include "runtime/base/stopwatch.h"
#include "runtime/cost/pass_timer.h"
#include "runtime/cost/statistics.h"

namespace outrider::cost {
namespace {

constexpr int kShortContext = 128, kLongContext = 768;
constexpr double kSlowPass = 0.01;  // seconds: filling a long context takes too long
constexpr double kBudget = 1;       // seconds, without filling contexts
constexpr int kMostTurns = 15;

std::vector<PassPoint> points_after(int context) {
  std::vector<PassPoint> points;
  for (const int rows : {1, 2, 3, 4, 5, 6, 8, 12, 17})
    points.push_back({Shape::kChain, rows, context});
  for (const int rows : {3, 5, 8, 12, 17}) points.push_back({Shape::kTree, rows, context});
  return points;
}

/// The points after one context, timed in turns.
class Turns {
 public:
  Turns(PassTimer& timer, int context)
      : timer_(timer), points_(points_after(context)), seconds_(points_.size()) {}

  void take() {
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const PassPoint& point = points_[i];
      seconds_[i].push_back(timer_.seconds(point.context, parents_of(point.shape, point.rows)));
    }
  }

  void add_to(std::vector<TimedPass>& passes) const {
    for (const Shape shape : {Shape::kChain, Shape::kTree}) {
      std::vector<TimedPass> of_shape;
      std::vector<double> seconds;
      for (std::size_t i = 0; i < points_.size(); ++i) {
        if (points_[i].shape != shape) continue;
        of_shape.push_back({points_[i], 0});
        seconds.push_back(spread_of(seconds_[i]).low);
      }
      const std::vector<double> ascending = made_ascending(seconds);
      for (std::size_t i = 0; i < of_shape.size(); ++i) {
        of_shape[i].seconds = ascending[i];
        passes.push_back(of_shape[i]);
      }
    }
  }

 private:
  PassTimer& timer_;
  std::vector<PassPoint> points_;
  std::vector<std::vector<double>> seconds_;  // [points, turns]
};

}  // namespace

std::vector<double> made_ascending(const std::vector<double>& seconds) {
  struct Pool {
    double sum;
    std::size_t count;
    double mean() const { return sum / static_cast<double>(count); }
  };
  std::vector<Pool> pools;
  for (const double one : seconds) {
    pools.push_back({std::log(one), 1});
    while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
      const Pool last = pools.back();
      pools.pop_back();
      pools.back().sum += last.sum;
      pools.back().count += last.count;
    }
  }
  std::vector<double> ascending;
  for (const Pool& pool : pools)
    ascending.insert(ascending.end(), pool.count, std::exp(pool.mean()));
  return ascending;
}

std::vector<TimedPass> time_quickly(engine::Engine& target) {
  PassTimer timer(target);
  const int longest = std::max(1, target.config().context - PassTimer::kMostRows);
  const int first = std::min(kShortContext, longest);
  timer.seconds(first, 1);  // fills the cache
  const bool is_slow = timer.seconds(first, 1) > kSlowPass;
  std::vector<Turns> turns;
  turns.emplace_back(timer, first);
  if (!is_slow && longest > first) turns.emplace_back(timer, std::min(kLongContext, longest));
  if (!is_slow) {
    // Warms up, and fills the other cache; not counted.
    std::vector<Turns> unused = turns;
    for (Turns& each : unused) each.take();
  }
  const Stopwatch watch;
  for (int turn = 0; turn < kMostTurns && (turn == 0 || watch.seconds() < kBudget); ++turn)
    for (Turns& each : turns) each.take();
  std::vector<TimedPass> passes;
  for (const Turns& each : turns) each.add_to(passes);
  return passes;
}

}  // namespace outrider::cost
