#include "calibrate/studies/copy_trials.h"

#include <fmt/core.h>

#include <utility>

#include "calibrate/cost/pass_costs.h"
#include "calibrate/pld_plus/choose_lengths.h"
#include "calibrate/pld_plus/try_lengths.h"

namespace outrider::calibrate {
namespace {

/// One call of try_copies.
class CopyRun {
 public:
  CopyRun(const engine::Engine& target, const std::vector<Answer>& answers,
          const std::vector<double>& thresholds, const artifacts::ArtifactSet& known,
          const CopyTable& table)
      : target_(target),
        thresholds_(thresholds),
        table_(table),
        context_(usual_context(target, answers)),
        costs_(pass_costs(target, known, 1 + copied_draft_lengths().back(), context_)),
        trials_{"", context_, {"draft-length"}, {}},
        drafting_(without_passes(target, costs_)) {
    if (!thresholds.empty()) trials_.names.emplace_back("threshold");
  }

  CopyTrials run() {
    std::vector<draft::PldPlusTemperature> temperatures;
    const auto tables = table_.by_temperature();
    for (const auto& [temperature, answered] : tables) {
      const CopyTable& of_these = answered;
      cost::TemperatureTrials tried = {temperature, 0,
                                       try_lengths(
                                           [&](int length, double threshold) {
                                             return of_these.replay(0, {length, threshold});
                                           },
                                           thresholds_)};
      tried.positions = tried.trials.front().tokens;
      temperatures.push_back({temperature, lengths_of(of_these, tried)});
      if (tried.positions > 0) trials_.by_temperature.push_back(std::move(tried));
    }
    return {{std::move(trials_), drafting_, costs_}, std::move(temperatures)};
  }

 private:
  std::optional<draft::PldPlusLengths> lengths_of(const CopyTable& of_these,
                                                  cost::TemperatureTrials& tried) const {
    tried.price(cost::TrialPrices::at(tried.temperature, costs_.model, context_, drafting_));
    const cost::Trial& best = *tried.best(trials_.names, {}, {});
    const int length = static_cast<int>(cost::number_of(best.settings, "draft-length"));
    const cost::PassSeconds pass_seconds = [&](int rows) {
      return costs_.model.seconds({cost::Shape::kChain, rows, context_});
    };
    auto lengths = choose_lengths(of_these, thresholds_, length, pass_seconds);
    if (!lengths) lengths = choose_lengths(table_, thresholds_, length, pass_seconds);
    if (lengths)
      lengths->machine = fmt::format("{}, {}", target_.place().name,
                                     target_.place().workers_text(target_.workers()));
    return lengths;
  }

  const engine::Engine& target_;
  const std::vector<double>& thresholds_;
  const CopyTable& table_;
  int context_;  // tokens before passes
  PassCosts costs_;
  cost::Trials trials_;
  cost::DraftingCost drafting_;
};

}  // namespace

CopyTrials try_copies(const engine::Engine& target, const std::vector<Answer>& answers,
                      const std::vector<double>& thresholds, const artifacts::ArtifactSet& known,
                      const CopyTable& table) {
  return CopyRun(target, answers, thresholds, known, table).run();
}

}  // namespace outrider::calibrate
