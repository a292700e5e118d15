#pragma once

#include <filesystem>

#include "calibrate/answers/made_answers.h"
#include "calibrate/answers/making_options.h"
#include "calibrate/answers/work_ahead.h"
#include "data/store/shard_plan.h"
#include "runtime/inference/target.h"

namespace outrider::calibrate {

/// A trace store of a target's answers to prompts, for several commands to calibrate on: `data traces` would go on
/// with it, and so does another run.
class MadeTraces {
 public:
  /// @param options  0 samples: those of a store that was begun there, else as many as take `seconds`, from 2 to 8
  /// @throws InputError for prompts that cannot be read
  MadeTraces(inference::Target& target, const MakingOptions& options, std::filesystem::path folder,
             double seconds);

  const std::filesystem::path& folder() const { return folder_; }
  /// What is left to make, and all texts.
  const WorkAhead& ahead() const { return ahead_; }
  /// @throws InputError where the folder holds something else; Interrupted
  void make(const OnProgress& on_progress);

 private:
  void plan(int samples);

  inference::Target& target_;
  MakingOptions options_;
  std::filesystem::path folder_;
  data::Recipe recipe_;
  std::vector<text::PromptRecord> prompts_;
  data::ShardPlan plan_;
  WorkAhead ahead_;
};

}  // namespace outrider::calibrate
