#include "runtime/report/trials_json.h"

#include <nlohmann/json.hpp>

namespace outrider::report {

nlohmann::ordered_json chosen_json(cost::Trials trials, const std::vector<PricesOn>& machines,
                                   const cost::Preference& preference) {
  auto chosen = nlohmann::ordered_json::array();
  for (const PricesOn& machine : machines) {
    for (cost::TemperatureTrials& one : trials.by_temperature) {
      one.price(
          cost::TrialPrices::at(one.temperature, machine.passes, trials.context, machine.drafting));
      const cost::Trial& best = *one.best(trials.names, {}, preference);
      auto settings = nlohmann::ordered_json::object();
      for (const std::string& name : trials.names)
        if (const auto found = best.settings.find(name); found != best.settings.end())
          std::visit([&, &key = name](const auto& value) { settings[key] = value; }, found->second);
      chosen.push_back({{"machine", machine.machine},
                        {"temperature", one.temperature},
                        {"settings", std::move(settings)},
                        {"tokens_per_second", best.tokens_per_second},
                        {"speed_up", one.speed_up(best)}});
    }
  }
  return chosen;
}

}  // namespace outrider::report
