#include "calibrate/report/trials_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/report/trials_json.h"

namespace outrider::calibrate {

std::string drafting_text(const std::string& draft, const cost::DraftingCost& drafting, int context,
                          const std::string& origin) {
  return fmt::format(
      "{}\na pass of it over {} rows: {:.3f} passes of the target over one; threads {} and {}; {} "
      "tokens before; target's passes: {}\n",
      draft, fmt::join(drafting.rows, ", "), fmt::join(drafting.shares, ", "),
      drafting.draft_threads, drafting.threads, context, origin);
}

nlohmann::ordered_json drafting_json(const std::string& draft, const cost::DraftingCost& drafting,
                                     int context) {
  return {{"draft", draft},
          {"context", context},
          {"threads", drafting.threads},
          {"draft_threads", drafting.draft_threads},
          {"draft_rows", drafting.rows},
          {"draft_shares", drafting.shares}};
}

nlohmann::ordered_json trial_json(const cost::Trial& trial, const std::vector<std::string>& names) {
  nlohmann::ordered_json json;
  for (const std::string& name : names) {
    const auto found = trial.settings.find(name);
    if (found == trial.settings.end()) continue;
    std::string key = name;
    std::replace(key.begin(), key.end(), '-', '_');
    json[key] = report::setting_json(found->second);
  }
  json["rounds"] = trial.rounds;
  json["tokens_per_pass"] = trial.tokens_per_pass();
  json["drafted_per_round"] = trial.drafted_per_round();
  json["draft_passes_per_round"] = trial.draft_passes_per_round();
  json["verified_rows_per_round"] = trial.verified_per_round();
  json["acceptance"] = trial.acceptance();
  json["rounds_cut"] = trial.lacking;
  for (const auto& [name, count] : trial.other) json[name] = count;
  json["tokens_per_second"] = trial.tokens_per_second;
  return json;
}

}  // namespace outrider::calibrate
