#include "calibrate/draft/draft_agreement.h"

#include <utility>

namespace outrider::calibrate {
namespace {

constexpr int kLongestRound = 16;
constexpr double kThresholds[] = {0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};

template <typename Of>
double mean_of_tasks(const std::map<std::string, DraftAgreement>& tasks, const Of& of) {
  double sum = 0;
  for (const auto& [task, agreement] : tasks) sum += of(agreement);
  return tasks.empty() ? 0 : sum / static_cast<double>(tasks.size());
}

}  // namespace

void DraftAgreement::add(const DraftTrial& trial) {
  for (std::size_t i = 0; i < trial.size(); ++i) {
    tokens += trial.counted[i];
    in_head += trial.counted[i] & trial.in_head[i];
    accepted += trial.counted[i] & trial.accepted[i];
  }
}

void TemperatureTrials::add(const std::string& task, DraftTrial trial) {
  by_task[task].add(trial);
  trials.push_back(std::move(trial));
}

double TemperatureTrials::mean_coverage() const {
  return mean_of_tasks(by_task, [](const DraftAgreement& one) { return one.coverage(); });
}

double TemperatureTrials::mean_agreement() const {
  return mean_of_tasks(by_task, [](const DraftAgreement& one) { return one.agreement(); });
}

cost::DraftSettings choose_draft_settings(const TemperatureTrials& trials, double temperature,
                                          const PassSeconds& pass_seconds, double draft_seconds) {
  cost::DraftSettings settings;
  settings.temperature = temperature;
  settings.agreement = trials.mean_agreement();
  settings.coverage = trials.mean_coverage();
  settings.plain_tokens_per_second = 1 / pass_seconds(1);
  settings.thresholds.assign(std::begin(kThresholds), std::end(kThresholds));
  for (int length = 1; length <= kLongestRound; ++length) settings.draft_lengths.push_back(length);
  for (const double threshold : settings.thresholds) {
    for (const int length : settings.draft_lengths) {
      Replay all;
      for (const DraftTrial& trial : trials.trials) all.add(rounds_of(trial, {length, threshold}));
      const double seconds =
          predicted_seconds(all, pass_seconds) + static_cast<double>(all.drafted) * draft_seconds;
      settings.tokens_per_round.push_back(all.tokens_per_pass());
      settings.drafted_per_round.push_back(all.drafted_per_pass());
      settings.tokens_per_second.push_back(all.passes == 0
                                               ? settings.plain_tokens_per_second
                                               : static_cast<double>(all.tokens) / seconds);
    }
  }
  return settings;
}

}  // namespace outrider::calibrate
