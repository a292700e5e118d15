#include "train/commands/disco_report.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "runtime/base/json_text.h"
#include "runtime/report/line_chart.h"

namespace outrider::train {
namespace {

using Json = nlohmann::ordered_json;

std::string rates_text(const char* title, const std::string& policy, const StopRates& found,
                       const char* unit) {
  std::string text = fmt::format("  {}: AUC {:.3f}, F1 {:.3f}, of always going on {:.3f}\n", title,
                                 found.auc, found.f1, found.always_f1);
  const double plain = found.rates.front().tokens_per_second;
  for (const auto& [rule, rate, f1] : found.rates)
    text += fmt::format("    {:<32} {:>7.4g} tokens {} predicted, {:.3f} times plain{}\n", rule,
                        rate, unit, rate / plain, f1 ? fmt::format(", F1 {:.3f}", *f1) : "");
  return text + fmt::format(
                    "    of the time between static rounds and the oracle, {} saves {:.0f} %, "
                    "confidence {:.0f} %, path {:.0f} %\n",
                    policy, 100 * found.classifier_share, 100 * found.confident_share,
                    100 * found.path_share);
}

Json rates_json(const StopRates& found) {
  Json rates = Json::object(), f1s = Json::object();
  for (const auto& [rule, rate, f1] : found.rates) {
    rates[rule] = rate;
    if (f1) f1s[rule] = *f1;
  }
  return {{"auc", found.auc},
          {"f1", found.f1},
          {"f1_of_always", found.always_f1},
          {"f1_of_rules", std::move(f1s)},
          {"tokens_per_second", std::move(rates)},
          {"classifier_share", found.classifier_share},
          {"confidence_share", found.confident_share},
          {"path_share", found.path_share}};
}

}  // namespace

std::string disco_text(const std::vector<DiscoFinding>& findings, const char* unit) {
  std::string text;
  for (const DiscoFinding& found : findings) {
    text += fmt::format(
        "{}, temperature {}, {} labels, {} inputs{}{}: {} tokens in {:.1f} s, cross-entropy "
        "{:.4f}, on validation {:.4f}\n",
        found.policy(), found.stop.trials.temperature, found.stop.label,
        name_of(inputs_of(found.stop.classifier)), found.stop.along_path ? ", along the path" : "",
        found.chosen ? " (chosen)" : "", found.tokens, found.seconds, found.training_loss,
        found.loss);
    text += rates_text("validation", found.policy(), found.validation, unit);
    if (found.test) text += rates_text("test", found.policy(), *found.test, unit);
  }
  return text;
}

std::string disco_json(const std::vector<DiscoFinding>& findings) {
  Json all = Json::array();
  for (const DiscoFinding& found : findings) {
    const cost::SettingValues& chosen = found.stop.chosen.at(draft::kClassifierStop);
    Json one = {{"policy", found.policy()},
                {"temperature", found.stop.trials.temperature},
                {"label", found.stop.label},
                {"rule", found.stop.along_path ? "path" : "token"},
                {"inputs", name_of(inputs_of(found.stop.classifier))},
                {"chosen", found.chosen},
                {"tokens", found.tokens},
                {"seconds", found.seconds},
                {"training_loss", found.training_loss},
                {"validation_loss", found.loss},
                {"threshold", cost::number_of(chosen, "draft-threshold")},
                {"longest", static_cast<int>(cost::number_of(chosen, "draft-length"))},
                {"validation", rates_json(found.validation)}};
    if (found.test) one["test"] = rates_json(*found.test);
    one["reliability"] = {{"share", found.stop.share},
                          {"predicted", found.stop.predicted},
                          {"accepted", found.stop.accepted}};
    all.push_back(std::move(one));
  }
  return json_text(Json{{"found", std::move(all)}}, 1) + "\n";
}

std::string disco_plot(const std::vector<DiscoFinding>& findings) {
  std::vector<report::Drawing> charts;
  for (const DiscoFinding& found : findings) {
    report::LineChart chart{fmt::format("{}, temperature {}, {} labels", found.policy(),
                                        found.stop.trials.temperature, found.stop.label),
                            "C_i, mean of a tenth",
                            "share of tokens accepted",
                            {},
                            {{"accepted", {}}, {"as predicted", {}}}};
    for (std::size_t part = 0; part < found.stop.share.size(); ++part) {
      if (found.stop.share[part] == 0) continue;
      chart.x.push_back(found.stop.predicted[part]);
      chart.lines[0].second.push_back(found.stop.accepted[part]);
      chart.lines[1].second.push_back(found.stop.predicted[part]);
    }
    if (!chart.x.empty()) charts.push_back(report::drawn(chart));
  }
  return report::svg_of(report::beside(charts));
}

}  // namespace outrider::train
