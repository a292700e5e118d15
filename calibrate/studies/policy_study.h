#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibrate/studies/stop_policies.h"
#include "data/journal/journal.h"
#include "data/study/stop_study.h"
#include "data/study/stop_study_run.h"
#include "runtime/base/watch.h"
#include "runtime/inference/generation.h"
#include "runtime/inference/target.h"
#include "runtime/prompt_files/prompt_file.h"

namespace outrider::calibrate {

/// Decodes every prompt plainly and with a draft model under each stop policy, in turns.
class PolicyStudy {
 public:
  /// @param target, options, watch  must outlive it
  /// @param folders  as for methods::MethodTarget
  /// @param given    as of stop_policies
  /// @param rounds   of decoding each text
  /// @throws InputError as stop_policies
  PolicyStudy(inference::Target& target, const artifacts::Folders& folders,
              const inference::GenerationOptions& options, methods::Ssd given, int rounds,
              Watch& watch);

  /// What all drafts depend on.
  const std::string& identity() const { return identity_; }

  /// Decodes the prompts' first turns, but for those of which the journal has a round.
  /// @throws CheckFailed should a text differ from another that has to be the same; Interrupted
  const study::StopStudy& run(const std::vector<text::PromptRecord>& prompts,
                              data::Journal& journal);

 private:
  Watch& watch_;
  methods::MethodTarget of_target_;  // of the policies
  std::string identity_;
  study::StopStudy found_;
  std::optional<study::StopStudyRun> run_;
};

}  // namespace outrider::calibrate
