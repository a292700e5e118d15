#include "calibrate/cost/measure_cost.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <tuple>

#include "runtime/cost/pass_timer.h"

namespace outrider::calibrate {
namespace {

struct Sample {
  cost::PassPoint point;
  bool held_out;
  std::vector<double> seconds;
};

/// What is timed with one number of threads.
struct Lane {
  std::unique_ptr<engine::Engine> engine;
  std::unique_ptr<cost::PassTimer> timer;
  std::vector<Sample> samples;
};

std::vector<Sample> samples_of(const CostGrid& grid) {
  std::vector<Sample> samples;
  const auto add = [&samples](const std::vector<int>& contexts, const std::vector<int>& rows,
                              bool held_out) {
    for (const int context : contexts)
      for (const int count : rows)
        for (const cost::Shape shape : {cost::Shape::kChain, cost::Shape::kTree})
          samples.push_back({{shape, count, context}, held_out, {}});
  };
  add(grid.contexts, grid.rows, false);
  add(halfway(grid.contexts), held_out_rows(grid), true);
  return samples;
}

std::vector<Sample> sorted(std::vector<Sample> samples) {
  const auto key = [](const Sample& sample) {
    return std::tuple(sample.held_out, sample.point.context, sample.point.rows, sample.point.shape);
  };
  std::sort(samples.begin(), samples.end(),
            [&key](const Sample& a, const Sample& b) { return key(a) < key(b); });
  return samples;
}

// Small passes are short and vary more, so they are timed more often.
int visits(int rows) { return rows <= 16 ? 3 : 1; }

/// Whether a point has been timed often enough: long passes, which take nearly all of the time,
/// after two fifths of the rounds.
bool is_timed_enough(const Sample& sample, int round, int rounds) {
  constexpr double kEnoughSeconds = 0.1;
  return 5 * (round - 1) >= 2 * rounds &&
         std::accumulate(sample.seconds.begin(), sample.seconds.end(), 0.0) > kEnoughSeconds;
}

/// Times the points in another order each round, so that none always follows the same one.
/// @param round  from 1
void run_round(Lane& lane, std::mt19937& random, int round, int rounds) {
  std::shuffle(lane.samples.begin(), lane.samples.end(), random);
  for (Sample& sample : lane.samples) {
    if (is_timed_enough(sample, round, rounds)) continue;
    const std::vector<int> parents = cost::parents_of(sample.point.shape, sample.point.rows);
    if (sample.point.rows <= 16) lane.timer->seconds(sample.point.context, parents);  // warms up
    for (int i = 0; i < visits(sample.point.rows); ++i)
      sample.seconds.push_back(lane.timer->seconds(sample.point.context, parents));
  }
}

}  // namespace

std::vector<int> halfway(std::vector<int> grid) {
  std::sort(grid.begin(), grid.end());
  std::vector<int> between;
  for (std::size_t i = 1; i < grid.size(); ++i)
    if (grid[i] - grid[i - 1] > 1) between.push_back((grid[i - 1] + grid[i]) / 2);
  return between;
}

std::vector<int> held_out_rows(const CostGrid& grid) {
  const std::vector<int> all = halfway(grid.rows);
  std::vector<int> rows;
  for (std::size_t i = 0; i < all.size(); i += 2) rows.push_back(all[i]);
  return rows;
}

std::vector<cost::ThreadsCost> untimed_passes(const CostGrid& grid) {
  std::vector<cost::ThreadsCost> costs;
  for (const int threads : grid.threads) {
    costs.push_back({threads, {}});
    for (const Sample& sample : sorted(samples_of(grid)))
      costs.back().passes.push_back({sample.point, sample.held_out, {}});
  }
  return costs;
}

std::vector<cost::ThreadsCost> measure_cost(const engine::Engine& engine, const CostGrid& grid,
                                            const std::function<bool(int)>& go_on) {
  std::vector<Lane> lanes;
  for (const int threads : grid.threads) {
    Lane lane;
    lane.engine = engine.with_workers(threads);
    lane.timer = std::make_unique<cost::PassTimer>(*lane.engine);
    lane.samples = samples_of(grid);
    lanes.push_back(std::move(lane));
  }
  std::mt19937 random(1);
  for (int round = 1;; ++round) {
    for (Lane& lane : lanes) run_round(lane, random, round, grid.rounds);
    if (!go_on(round) || round == grid.rounds) break;
  }
  std::vector<cost::ThreadsCost> costs = untimed_passes(grid);
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    std::vector<Sample> samples = sorted(lanes[i].samples);
    for (std::size_t s = 0; s < samples.size(); ++s)
      costs[i].passes[s].seconds = cost::spread_of(std::move(samples[s].seconds));
  }
  return costs;
}

}  // namespace outrider::calibrate
