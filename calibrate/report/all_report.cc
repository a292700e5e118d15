#include "calibrate/report/all_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runtime/methods/list.h"
#include "runtime/methods/settings.h"

namespace outrider::calibrate {

std::string all_studies_text(const DoneStudies& done, double minutes) {
  std::string text;
  for (const MissingStudy& study : done.studies)
    text += fmt::format("{:<32} {}\n", study.command(),
                        study.outcome.empty() ? "not done yet" : study.outcome);
  if (!done.whole)
    text += fmt::format(
        "--minutes {:g} are over: what is done is kept, and the same command goes on from it\n",
        minutes);
  return text;
}

std::string default_method_text(const methods::MethodTarget& target, const std::string& artifacts) {
  const auto method = methods::new_method("auto");
  methods::fill_in(*method, "artifacts", artifacts);
  const methods::PreparedMethod prepared = method->prepare(target);
  std::string text = prepared.name();
  for (const auto& setting : prepared.record().items()) {
    const nlohmann::ordered_json& value = setting.value();
    if (value.is_null() || value.is_structured() || value == "" || setting.key() == "artifacts")
      continue;
    std::string name = setting.key();
    std::replace(name.begin(), name.end(), '_', '-');
    text +=
        fmt::format(", {} {}", name, value.is_string() ? value.get<std::string>() : value.dump());
  }
  return text;
}

}  // namespace outrider::calibrate
