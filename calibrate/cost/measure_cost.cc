#include "calibrate/cost/measure_cost.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <tuple>

#include "runtime/cost/pass_timer.h"
#include "runtime/cost/statistics.h"

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

/// The points of one number of threads. @param sequences  more than one of them
std::vector<Sample> samples_of(const CostGrid& grid, const std::vector<int>& sequences) {
  std::vector<Sample> samples;
  const auto add = [&samples](const std::vector<int>& contexts, const std::vector<int>& rows,
                              bool held_out) {
    for (const int context : contexts)
      for (const int count : rows)
        for (const cost::Shape shape : {cost::Shape::kChain, cost::Shape::kTree})
          samples.push_back({{shape, count, context}, held_out, {}});
  };
  add(grid.contexts, grid.rows, false);
  if (grid.held_out) add(halfway(grid.contexts), held_out_rows(grid), true);
  for (const int context : grid.contexts)
    for (const int several : sequences)
      for (const int each : grid.rows_each)
        if (several * each <= cost::PassTimer::kMostRows)
          samples.push_back({{cost::Shape::kChain, several * each, context, several}, false, {}});
  return samples;
}

/// The samples of every number of threads.
std::vector<std::vector<Sample>> samples_of(const CostGrid& grid) {
  std::vector<int> several = grid.sequences;
  std::erase_if(several, [](int count) { return count < 2; });
  const int most = *std::max_element(grid.threads.begin(), grid.threads.end());
  std::vector<std::vector<Sample>> all;
  for (const int threads : grid.threads)
    all.push_back(samples_of(grid, threads == most ? several : std::vector<int>()));
  return all;
}

std::vector<Sample> sorted(std::vector<Sample> samples) {
  const auto key = [](const Sample& sample) {
    return std::tuple(sample.held_out, sample.point.sequences, sample.point.context,
                      sample.point.rows, sample.point.shape);
  };
  std::sort(samples.begin(), samples.end(),
            [&key](const Sample& a, const Sample& b) { return key(a) < key(b); });
  return samples;
}

constexpr double kLongPass = 0.01;      // seconds: what is in the caches no longer matters
constexpr double kEnoughSeconds = 0.1;  // of a point in all rounds

/// Whether a point has been timed often enough. @param round  from 1
bool is_timed_enough(const Sample& sample, int round, int rounds) {
  if (sample.seconds.empty()) return false;
  return round > rounds_of_a_pass(cost::spread_of(sample.seconds).median, rounds);
}

void time(cost::PassTimer& timer, Sample& sample) {
  const double first = timer.seconds(sample.point);  // warms up where passes are short
  const int visits = visits_of_a_round(first);
  if (visits == 1) return sample.seconds.push_back(first);
  for (int i = 0; i < visits; ++i) sample.seconds.push_back(timer.seconds(sample.point));
}

std::vector<Lane> lanes_of(const engine::Engine& engine, const CostGrid& grid) {
  std::vector<Lane> lanes;
  std::vector<std::vector<Sample>> samples = samples_of(grid);
  for (std::size_t i = 0; i < grid.threads.size(); ++i) {
    lanes.push_back({engine.with_workers(grid.threads[i]), nullptr, std::move(samples[i])});
  }
  // With the most threads contexts are forwarded; the others copy their keys and values.
  const auto fastest = std::max_element(grid.threads.begin(), grid.threads.end());
  Lane& first = lanes[static_cast<std::size_t>(fastest - grid.threads.begin())];
  first.timer = std::make_unique<cost::PassTimer>(*first.engine);
  for (Lane& lane : lanes)
    if (lane.timer == nullptr)
      lane.timer = std::make_unique<cost::PassTimer>(*lane.engine, *first.timer);
  return lanes;
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

int visits_of_a_round(double seconds) { return seconds < kLongPass ? 3 : 1; }

int rounds_of_a_pass(double seconds, int rounds) {
  const double of_a_round = seconds * visits_of_a_round(seconds);
  const double enough = std::max(2.0 * rounds / 5, kEnoughSeconds / of_a_round);
  return std::clamp(static_cast<int>(std::ceil(enough)), 1, rounds);
}

std::vector<cost::ThreadsCost> untimed_passes(const CostGrid& grid) {
  std::vector<cost::ThreadsCost> costs;
  const std::vector<std::vector<Sample>> samples = samples_of(grid);
  for (std::size_t i = 0; i < grid.threads.size(); ++i) {
    costs.push_back({grid.threads[i], {}});
    for (const Sample& sample : sorted(samples[i]))
      costs.back().passes.push_back({sample.point, sample.held_out, {}});
  }
  return costs;
}

std::vector<cost::ThreadsCost> measure_cost(const engine::Engine& engine, const CostGrid& grid,
                                            const OnTimed& go_on) {
  std::vector<Lane> lanes = lanes_of(engine, grid);
  std::size_t points = 0;
  for (const Lane& lane : lanes) points += lane.samples.size();
  const int total = static_cast<int>(points) * grid.rounds;
  std::mt19937 random(1);
  int done = 0;
  bool goes_on = true;
  for (int round = 1; round <= grid.rounds && goes_on; ++round) {
    for (Lane& lane : lanes) {
      // In another order each round, so that no point always follows the same one.
      std::shuffle(lane.samples.begin(), lane.samples.end(), random);
      for (Sample& sample : lane.samples) {
        if (!goes_on && round > 1) break;
        if (!is_timed_enough(sample, round, grid.rounds)) time(*lane.timer, sample);
        goes_on = go_on(++done, total) && goes_on;
      }
    }
  }
  std::vector<cost::ThreadsCost> costs = untimed_passes(grid);
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    std::vector<Sample> samples = sorted(std::move(lanes[i].samples));
    for (std::size_t s = 0; s < samples.size(); ++s)
      costs[i].passes[s].seconds = cost::spread_of(std::move(samples[s].seconds));
  }
  return costs;
}

}  // namespace outrider::calibrate
