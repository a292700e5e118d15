#include "calibrate/studies/left_of_studies.h"

#include <fmt/core.h>

#include <array>

#include "calibrate/answers/halves_of_prompts.h"
#include "calibrate/answers/journal_of.h"

namespace outrider::calibrate {
namespace {

/// @param answers  that the study is of
/// @param of_part  those of them that its part has entries of
WorkAhead left_of_part(const std::filesystem::path& artifact, const std::string& part,
                       const inference::Target& target, const std::vector<Answer>& answers,
                       const std::vector<Answer>& of_part, const std::string& settings = "") {
  const std::size_t kept = kept_in_journal(artifact, part, target, answers, settings);
  if (kept >= of_part.size()) return {};
  return work_on({of_part.begin() + static_cast<std::ptrdiff_t>(kept), of_part.end()});
}

}  // namespace

std::string settings_of_averaged(int draft_length) {
  return fmt::format("draft length {}", draft_length);
}

std::pair<WorkAhead, WorkAhead> left_of_heads(const std::filesystem::path& artifact,
                                              const inference::Target& target,
                                              const std::vector<Answer>& answers) {
  std::array<std::vector<Answer>, 2> halves;
  HalvesOfPrompts of_prompts;
  for (const Answer& answer : answers) halves[of_prompts.half_of(answer)].push_back(answer);
  return {left_of_part(artifact, kHeadsCounted, target, answers, halves[0]),
          left_of_part(artifact, kHeadsTried, target, answers, halves[1])};
}

std::pair<WorkAhead, WorkAhead> left_of_layer(const std::filesystem::path& artifact,
                                              const inference::Target& target,
                                              const std::vector<Answer>& answers,
                                              int draft_length) {
  return {left_of_part(artifact, kLayersTried, target, answers, answers),
          left_of_part(artifact, kLayerAveraged, target, answers, answers,
                       settings_of_averaged(draft_length))};
}

}  // namespace outrider::calibrate
