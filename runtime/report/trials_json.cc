#include "runtime/report/trials_json.h"

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>

namespace outrider::report {

nlohmann::ordered_json setting_json(const cost::SettingValue& value) {
  const auto* number = std::get_if<double>(&value);
  if (number == nullptr) return std::get<std::string>(value);
  if (*number == std::trunc(*number)) return static_cast<std::int64_t>(*number);
  return *number;
}

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
          settings[name] = setting_json(found->second);
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
