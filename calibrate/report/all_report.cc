#include "calibrate/report/all_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runtime/methods/list.h"
#include "runtime/methods/settings.h"

namespace outrider::calibrate {

namespace {

/// "pld-plus-h, layer 12, draft-length 5". @param artifacts  as --artifacts of decoding
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

}  // namespace

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

std::string decoding_text(inference::Target& target, const StudyFiles& files) {
  const std::string to_read = files.to_read(artifacts::identity_of(target.model()));
  const inference::TargetOptions& options = target.options();
  std::string text;
  for (const double temperature : {0.0, 1.0})
    text +=
        fmt::format("runtime decode --model {}{}{}{}: {}\n", options.model,
                    options.context > 0 ? fmt::format(" --ctx {}", options.context) : "",
                    files.artifacts.empty() ? "" : " --artifacts " + files.artifacts,
                    temperature > 0 ? " --temperature 1" : "",
                    default_method_text(
                        {target.model(), target.engine(), files.folders, temperature}, to_read));
  return text;
}

}  // namespace outrider::calibrate
