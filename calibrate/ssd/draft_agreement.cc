#include "calibrate/ssd/draft_agreement.h"

#include <utility>

#include "runtime/cost/stop_trials.h"

namespace outrider::calibrate {
namespace {

constexpr int kLongestRound = 16;
/// Tried of a token's probability, and of the path's.
const std::vector<double> kThresholds = {0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};

template <typename Of>
double mean_of_tasks(const std::map<std::string, DraftAgreement>& tasks, const Of& of) {
  double sum = 0;
  for (const auto& [task, agreement] : tasks) sum += of(agreement);
  return tasks.empty() ? 0 : sum / static_cast<double>(tasks.size());
}

}  // namespace

void DraftAgreement::add(const SsdTrial& trial) {
  for (std::size_t i = 0; i < trial.size(); ++i) {
    tokens += trial.counted[i];
    in_head += trial.counted[i] & trial.in_head[i];
    accepted += trial.counted[i] & trial.accepted[i];
  }
}

void SsdAtTemperature::add(const std::string& task, SsdTrial trial) {
  by_task[task].add(trial);
  trials.push_back(std::move(trial));
}

double SsdAtTemperature::mean_coverage() const {
  return mean_of_tasks(by_task, [](const DraftAgreement& one) { return one.coverage(); });
}

double SsdAtTemperature::mean_agreement() const {
  return mean_of_tasks(by_task, [](const DraftAgreement& one) { return one.agreement(); });
}

cost::TemperatureTrials try_rounds(const SsdAtTemperature& drafts, double temperature) {
  std::vector<cost::DraftedText> texts;
  for (const SsdTrial& trial : drafts.trials) texts.push_back(trial.drafted_text());
  cost::TemperatureTrials found;
  found.temperature = temperature;
  for (const auto& [task, one] : drafts.by_task) found.positions += one.tokens;
  for (const cost::ThresholdPolicy& policy :
       {cost::ThresholdPolicy{}, cost::ThresholdPolicy{"confidence", false, kThresholds},
        cost::ThresholdPolicy{"path", true, kThresholds}})
    for (cost::Trial& trial : cost::try_stops(texts, policy, kLongestRound))
      found.trials.push_back(std::move(trial));
  return found;
}

double improvement_factor(double alpha, int length, double c) {
  double tokens = 1, power = 1;  // 1 + alpha + ... + alpha^length, also where alpha is 1
  for (int i = 0; i < length; ++i) tokens += power *= alpha;
  return tokens / (length * c + 1);
}

}  // namespace outrider::calibrate
