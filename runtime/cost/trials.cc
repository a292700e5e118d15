#include "runtime/cost/trials.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "runtime/sampling/nearest_temperature.h"

namespace outrider::cost {
namespace {

using Left = std::vector<const Trial*>;

/// Whether few of its rounds, at most one in 50, ended where what was recorded did.
bool is_known(const Trial* trial) { return 50 * trial->lacking <= trial->rounds; }

const SettingValue* value_of(const Trial* trial, const std::string& name) {
  const auto found = trial->settings.find(name);
  return found == trial->settings.end() ? nullptr : &found->second;
}

/// How far a trial is from a number that was given; nothing where it has none.
const double* number_of(const Trial* trial, const std::string& name) {
  const SettingValue* const value = value_of(trial, name);
  return value == nullptr ? nullptr : std::get_if<double>(value);
}

void keep_nearest(const std::string& name, double given, Left& left) {
  double least = HUGE_VAL;
  for (const Trial* one : left)
    if (const double* number = number_of(one, name))
      least = std::min(least, std::abs(*number - given));
  std::erase_if(left, [&](const Trial* one) {
    const double* const number = number_of(one, name);
    return number != nullptr && std::abs(*number - given) > least;
  });
}

void keep_text(const std::string& name, const std::string& given, Left& left) {
  std::erase_if(left, [&](const Trial* one) {
    const SettingValue* const value = value_of(one, name);
    return value != nullptr && *value != SettingValue(given);
  });
}

Left nearest_to(const std::vector<std::string>& names, const SettingValues& given, Left left) {
  for (const std::string& name : names) {
    const auto found = given.find(name);
    if (found == given.end()) continue;
    if (const std::string* text = std::get_if<std::string>(&found->second))
      keep_text(name, *text, left);
    else
      keep_nearest(name, std::get<double>(found->second), left);
  }
  return left;
}

void add(const Trial& more, Trial& sum) {
  sum.add(more);
  for (const auto& [name, count] : more.other) sum.other[name] += count;
}

TemperatureTrials sum_of(const TemperatureTrials& one, const TemperatureTrials& other) {
  TemperatureTrials sum;
  sum.temperature = one.temperature;
  sum.positions = one.positions + other.positions;
  for (const Trial& trial : one.trials) {
    const Trial* const same = other.find(trial.settings);
    if (same == nullptr) continue;
    sum.trials.push_back(trial);
    add(*same, sum.trials.back());
  }
  return sum;
}

}  // namespace

void TrialCounts::add(const TrialCounts& other) {
  rounds += other.rounds;
  tokens += other.tokens;
  drafted += other.drafted;
  lacking += other.lacking;
  verified.add(other.verified);
  drafting.add(other.drafting);
}

void TemperatureTrials::price(const TrialPrices& prices) {
  plain_tokens_per_second = 1 / prices.plain_seconds();
  for (Trial& trial : trials) trial.tokens_per_second = prices.speed(trial, trial.shape);
}

const Trial* TemperatureTrials::best(const std::vector<std::string>& names,
                                     const SettingValues& given,
                                     const Preference& preference) const {
  Left left;
  for (const Trial& trial : trials) left.push_back(&trial);
  if (std::any_of(left.begin(), left.end(), is_known))
    std::erase_if(left, [](const Trial* one) { return !is_known(one); });
  left = nearest_to(names, given, std::move(left));
  if (left.empty()) return nullptr;
  const Trial& fastest = **std::max_element(left.begin(), left.end(), [](auto* one, auto* other) {
    return one->tokens_per_second < other->tokens_per_second;
  });
  if (!preference) return &fastest;
  const auto key = [&](const Trial* one) {
    return std::pair(-preference(*one, fastest), one->tokens_per_second);
  };
  const Trial* best = nullptr;
  for (const Trial* one : left)
    if (one->tokens_per_second >= (1 - kAlike) * fastest.tokens_per_second &&
        (best == nullptr || key(one) > key(best)))
      best = one;
  return best;
}

const Trial* TemperatureTrials::find(const SettingValues& settings) const {
  const auto found = std::find_if(trials.begin(), trials.end(),
                                  [&](const Trial& one) { return one.settings == settings; });
  return found == trials.end() ? nullptr : &*found;
}

const TemperatureTrials& Trials::nearest(double temperature) const {
  return sampling::nearest_temperature(by_temperature, temperature);
}

Trials sum_of(const Trials& one, const Trials& other) {
  if (one.drafter != other.drafter) throw std::logic_error("sum_of: trials of two drafters");
  Trials sum = {one.drafter, 0, one.names, {}};
  double positions = 0, others = 0;  // of texts, for the mean of both contexts
  for (const TemperatureTrials& a : one.by_temperature) {
    for (const TemperatureTrials& b : other.by_temperature) {
      if (a.temperature != b.temperature) continue;
      positions += static_cast<double>(a.positions);
      others += static_cast<double>(b.positions);
      if (TemperatureTrials both = sum_of(a, b); !both.trials.empty())
        sum.by_temperature.push_back(std::move(both));
    }
  }
  const double all = std::max(1.0, positions + others);
  sum.context =
      static_cast<int>(std::lround((one.context * positions + other.context * others) / all));
  return sum;
}

}  // namespace outrider::cost
