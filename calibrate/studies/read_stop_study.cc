#include "calibrate/studies/read_stop_study.h"

#include <fmt/core.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/base/text_file.h"

namespace outrider::calibrate {
namespace {

constexpr std::size_t kMostStudyBytes = std::size_t{64} << 20;

study::StopStudy study_of(const nlohmann::json& json) {
  study::StopStudy study;
  study.temperature = json.at("temperature").get<double>();
  study.verify = json.at("verify").get<std::string>();
  for (const auto& policy : json.at("policies")) {
    study::StopCell cell = {.name = policy.at("policy").get<std::string>(), .settings = ""};
    cell.tokens_of_texts = policy.at("tokens_of_texts").get<std::vector<std::int64_t>>();
    cell.seconds_of_texts = policy.at("seconds_of_texts").get<std::vector<double>>();
    study.cells.push_back(std::move(cell));
  }
  return study;
}

/// Whether every policy has the same texts, and at least one.
bool is_whole(const study::StopStudy& study) {
  if (study.cells.empty()) return false;
  const std::size_t texts = study.cells.front().seconds_of_texts.size();
  for (const study::StopCell& cell : study.cells)
    if (cell.tokens_of_texts.size() != texts || cell.seconds_of_texts.size() != texts) return false;
  return texts > 0;
}

/// What two studies have to share.
std::string kind_of(const study::StopStudy& study) {
  std::string kind =
      fmt::format("temperature {}, verification {}, policies", study.temperature, study.verify);
  for (const study::StopCell& cell : study.cells) kind += " " + cell.name;
  return kind;
}

}  // namespace

study::StopStudy read_stop_study(const std::string& path) {
  const std::string text = read_text_file(path, kMostStudyBytes);
  study::StopStudy study;
  try {
    study = study_of(nlohmann::json::parse(text));
  } catch (const nlohmann::json::exception&) {
    // What is not JSON, and what is other JSON, is no study.
  }
  if (!is_whole(study))
    throw InputError(input_name(path) +
                     ": expected a study of `calibrate bench --stops --json`, found none");
  return study;
}

std::vector<study::StopStudy> read_stop_studies(const std::vector<std::string>& paths) {
  std::vector<study::StopStudy> studies;
  for (const std::string& path : paths) {
    studies.push_back(read_stop_study(path));
    const std::string expected = kind_of(studies.front()), found = kind_of(studies.back());
    if (found != expected)
      throw InputError(fmt::format("{}: expected a study like {} ({}), found {}", path,
                                   paths.front(), expected, found));
  }
  return studies;
}

}  // namespace outrider::calibrate
