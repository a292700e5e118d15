#include "calibrate/draft/draft_agreement.h"

#include <utility>

#include "runtime/base/math.h"

namespace outrider::calibrate {
namespace {

constexpr int kLongestRound = 16;
/// Tried of a token's probability, and but for 0 of the path's.
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

void DraftsAtTemperature::add(const std::string& task, DraftTrial trial) {
  by_task[task].add(trial);
  trials.push_back(std::move(trial));
}

double DraftsAtTemperature::mean_coverage() const {
  return mean_of_tasks(by_task, [](const DraftAgreement& one) { return one.coverage(); });
}

double DraftsAtTemperature::mean_agreement() const {
  return mean_of_tasks(by_task, [](const DraftAgreement& one) { return one.agreement(); });
}

cost::DraftSettings choose_draft_settings(const DraftsAtTemperature& trials, double temperature,
                                          const cost::PassSeconds& pass_seconds,
                                          double draft_seconds) {
  cost::DraftSettings settings;
  settings.temperature = temperature;
  settings.agreement = trials.mean_agreement();
  settings.coverage = trials.mean_coverage();
  for (const bool along_path : {false, true}) {
    for (const double threshold : kThresholds) {
      if (along_path && threshold == 0) continue;
      settings.thresholds.push_back(threshold);
      settings.along_path.push_back(along_path);
    }
  }
  for (int length = 1; length <= kLongestRound; ++length) settings.draft_lengths.push_back(length);
  std::vector<cost::DraftedText> texts;
  for (const DraftTrial& trial : trials.trials) texts.push_back(trial.drafted_text());
  std::vector<double> least;
  for (const double threshold : settings.thresholds) least.push_back(math::log(threshold));
  cost::predict_rounds(texts, least, pass_seconds, draft_seconds, settings);
  return settings;
}

}  // namespace outrider::calibrate
