#pragma once

#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/answers/answer.h"
#include "calibrate/cost/pass_costs.h"
#include "calibrate/studies/study_files.h"
#include "data/journal/journal.h"
#include "data/store/trace_store.h"
#include "runtime/cost/drafting_cost.h"
#include "runtime/cost/trials.h"
#include "runtime/inference/target.h"
#include "runtime/methods/loaded_draft.h"
#include "runtime/methods/loaded_parallelspec.h"
#include "runtime/methods/method_target.h"

namespace outrider::calibrate {

/// What every study has that tries settings of a draft model or of another drafter with a model.
struct DrafterStudyOptions {
  std::string data;                  // a folder of traces
  std::string draft;                 // what the drafter is read from; empty: that of the artifacts
  std::optional<int> draft_vocab;    // of a draft model from a file: methods::trim_to_drafts
  std::optional<int> draft_threads;  // nothing: 1 or the target's, the faster
  int limit = 0;                     // texts of the traces; 0: all
  StudyFiles files;                  // but for the artifact, which the drafter tells
};

/// A target, its drafter, and the artifact file that gets what is found out about them.
class DrafterStudy {
 public:
  /// @param target, options, watch  must outlive it
  /// @param command                 "calibrate ssd"
  /// @param method                  whose trials are written
  DrafterStudy(inference::Target& target, const DrafterStudyOptions& options, std::string command,
               std::string method, Watch& watch);

  inference::Target& target() { return target_; }
  Watch& watch() { return watch_; }
  /// The drafter's file.
  const std::string& draft() const { return draft_; }
  /// The draft model. @throws InputError where there is none
  std::shared_ptr<const methods::LoadedDraft> load(std::optional<int> threads);
  /// A parallel drafter. @throws InputError where there is none
  std::shared_ptr<const methods::LoadedParallelSpec> load_parallelspec(
      draft::ParallelSpecModel::Flavour flavour, std::optional<int> threads);
  /// What its drafts are ranked by. @throws InputError as methods::find_pair_weights
  draft::PairWeights pair_weights(std::optional<double> weight);
  /// The answers of the traces. With them it is known which share of the work this process has. After the drafter was
  /// loaded. @throws InputError where they, or the file that is written, are another target's
  std::vector<Answer> read_answers();
  /// A cost of the drafter beside the target, without times.
  cost::DraftingCost untimed() const;
  /// The target's costs of passes over up to so many rows.
  PassCosts costs(int most_rows, int context);
  /// The journal of a part of the work on answers, until the result is written.
  /// @param settings  that the part depends on, besides the models
  /// @param entries   that all of it has, whoever has a share
  /// @throws InputError for parts of other work
  data::Journal& journal(const std::string& part, const std::vector<Answer>& answers,
                         const std::string& settings, std::size_t entries);
  /// Ends a process with a share before anything is timed. @throws PartDone, unless it has all of it
  void end_share() const { calibrate::end_share(share_); }
  /// Writes the trials of methods, and what passes of their drafter cost here; those of a drafter that was named beside the
  /// target's own. @param by_method  by their names
  void write_trials(const std::map<std::string, cost::Trials>& by_method,
                    const cost::DraftingCost& drafting);

 private:
  methods::MethodTarget for_methods();
  /// What a drafter has to be told apart by in the names of groups; empty: it is the target's own.
  std::string named() const { return options_.draft.empty() ? "" : hash_; }
  std::filesystem::path artifact() const;

  inference::Target& target_;
  const DrafterStudyOptions& options_;
  std::string command_, method_;
  Watch& watch_;
  artifacts::TargetIdentity identity_;
  artifacts::ArtifactSet known_;
  std::string draft_, hash_;  // of the drafter: its file, and what identifies it
  std::string traces_;        // their identity
  WorkShare share_;
  std::deque<data::Journal> journals_;
};

}  // namespace outrider::calibrate
