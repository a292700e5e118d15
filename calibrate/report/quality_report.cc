#include "calibrate/report/quality_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "runtime/base/json_text.h"
#include "runtime/report/sheet.h"

namespace outrider::calibrate {

std::string quality_text(const FoundQuality& found, const QualityStudy& study,
                         const inference::Target& target) {
  const study::Quality& q = found.quality;
  const auto n = static_cast<double>(q.tokens);
  report::Sheet sheet;
  sheet.add("model", target.options().model);
  sheet.add("numerics", target.engine().numerics_name() + ", against f32");
  sheet.add("scored", fmt::format("{} tokens of the answers in {}", report::grouped(q.tokens),
                                  fmt::join(study.prompts, ", ")));
  sheet.add("perplexity",
            fmt::format("{:.4f}, f32 {:.4f}: {:+.3f} % (standard error {:.3f} %)", q.perplexity(),
                        q.reference_perplexity(), 100 * q.perplexity_change(),
                        100 * q.perplexity_change_error()));
  sheet.add("divergence", fmt::format("{:.3g} nats a token, {:.3g} at most", q.divergence / n,
                                      q.worst_divergence));
  sheet.add("same best",
            fmt::format("{:.2f} % of positions", 100 * static_cast<double>(q.same_best) / n));
  if (found.interrupted) sheet.add("interrupted", "fewer tokens than requested");
  return sheet.text();
}

std::string quality_json(const FoundQuality& found, const QualityStudy& study,
                         const inference::Target& target) {
  const study::Quality& q = found.quality;
  const auto n = static_cast<double>(q.tokens);
  const nlohmann::ordered_json json = {{"model", target.options().model},
                                       {"prompts", study.prompts},
                                       {"numerics", target.engine().numerics_name()},
                                       {"interrupted", found.interrupted},
                                       {"tokens", q.tokens},
                                       {"perplexity_f32", q.reference_perplexity()},
                                       {"perplexity", q.perplexity()},
                                       {"perplexity_change", q.perplexity_change()},
                                       {"perplexity_change_error", q.perplexity_change_error()},
                                       {"kl_mean", q.divergence / n},
                                       {"kl_worst", q.worst_divergence},
                                       {"same_best", static_cast<double>(q.same_best) / n}};
  return json_text(json, 2) + "\n";
}

}  // namespace outrider::calibrate
