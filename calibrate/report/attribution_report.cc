#include "calibrate/report/attribution_report.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "runtime/base/json_text.h"

namespace outrider::calibrate {

std::string attribution_text(const std::vector<study::AttributionScore>& scores,
                             std::size_t texts) {
  const study::AttributionScore& first = scores.front();
  std::string text = fmt::format(
      "{} answers, {} tokens copied\n"
      "spans of    precision  recall  F1     of {:<5} spans, from the right source\n",
      texts, first.gold, "these");
  for (const study::AttributionScore& score : scores)
    text += fmt::format("{:>3} and more {:<10.3f} {:<7.3f} {:<6.3f} {:>5.1f} % of {}\n",
                        score.min_span, score.precision(), score.recall(), score.f1(),
                        100 * score.right_share(), score.spans);
  return text;
}

std::string attribution_json(const std::vector<study::AttributionScore>& scores, std::size_t texts,
                             const AttributionStudy& study, const methods::PreparedMethod& method,
                             const inference::Target& target) {
  const inference::TargetOptions& of_target = target.options();
  nlohmann::ordered_json json = {
      {"model", of_target.model},
      {"prompts", study.prompts},
      {"method", method.name()},
      {"settings", method.record()},
      {"chat", target.chat().name()},
      {"system",
       of_target.system ? nlohmann::ordered_json(*of_target.system) : nlohmann::ordered_json()},
      {"instruction", study.instruction},
      {"numerics", target.engine().numerics_name()},
      {"texts", texts}};
  for (const study::AttributionScore& score : scores)
    json["scores"].push_back({{"min_span", score.min_span},
                              {"precision", score.precision()},
                              {"recall", score.recall()},
                              {"f1", score.f1()},
                              {"predicted_tokens", score.predicted},
                              {"gold_tokens", score.gold},
                              {"spans", score.spans},
                              {"spans_of_right_source", score.right}});
  return json_text(json, 2) + "\n";
}

}  // namespace outrider::calibrate
