#pragma once

#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/answers/answer.h"
#include "calibrate/commands/answers.h"
#include "calibrate/commands/result_options.h"
#include "calibrate/cost/pass_costs.h"
#include "data/journal/journal.h"
#include "data/store/trace_store.h"
#include "runtime/cli/shown_watch.h"
#include "runtime/cost/drafting_cost.h"
#include "runtime/cost/trials.h"
#include "runtime/methods/loaded_draft.h"
#include "runtime/methods/loaded_parallel.h"
#include "runtime/methods/method_target.h"

namespace outrider::calibrate {

/// The options of every command that calibrates a draft model or another drafter with a model.
struct DraftCalibrationOptions {
  cli::TargetFlags target;
  std::string data;
  std::string draft;                 // empty: that of the artifacts
  std::optional<int> draft_threads;  // nothing: 1 or the target's, the faster
  int limit = 0;                     // texts of the traces; 0: all
  std::string json;
  bool quiet = false;
  ResultOptions result;
};

/// Declares the flags of the two models, the traces and the artifacts.
void declare_draft_calibration_flags(cli::CommandOptions& command,
                                     DraftCalibrationOptions& options);
/// Declares these flags with another description of --draft.
void declare_draft_calibration_flags(cli::CommandOptions& command, DraftCalibrationOptions& options,
                                     const std::string& of_draft);
/// Declares --positions, of which texts are recorded. @param recorded  what is: "trees"
void declare_positions_flag(cli::CommandOptions& command, int& positions,
                            const std::string& recorded);
/// Declares those of the machine and of the output.
void declare_draft_calibration_output(cli::CommandOptions& command,
                                      DraftCalibrationOptions& options);

/// A target, its draft model, and the artifact file that gets what is found out about them.
class DraftCalibration {
 public:
  /// @param options  must outlive it
  /// @param command  "calibrate draft"
  /// @param method   whose trials are written
  /// @throws InputError where the target cannot be loaded
  DraftCalibration(const DraftCalibrationOptions& options, std::string command, std::string method);

  inference::Target& target() { return target_; }
  Watch& watch() { return watch_; }
  /// The draft model's file.
  const std::string& draft() const { return draft_; }
  /// The draft model. @throws InputError where there is none
  std::shared_ptr<const methods::LoadedDraft> load(std::optional<int> threads);
  /// A parallel drafter. @throws InputError where there is none
  std::shared_ptr<const methods::LoadedParallel> load_parallel(
      draft::ParallelModel::Flavour flavour, std::optional<int> threads);
  /// What its drafts are ranked by. @throws InputError as methods::find_following
  draft::Following following(std::optional<double> weight);
  /// The traces. @throws InputError where they, or the file that is written, are another target's
  /// With them it is known which share of the work this process has. After the drafter was loaded.
  data::TraceStore open_traces();
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
  /// Writes the trials of methods, and what passes of their drafter cost here; those of a drafter that --draft names
  /// beside the target's own. @param by_method  by their names
  void write_trials(const data::TraceStore& store,
                    const std::map<std::string, cost::Trials>& by_method,
                    const cost::DraftingCost& drafting);

 private:
  methods::MethodTarget for_methods();
  /// What a drafter has to be told apart by in the names of groups; empty: it is the target's own.
  std::string named() const { return options_.draft.empty() ? "" : hash_; }
  std::filesystem::path result() const;

  const DraftCalibrationOptions& options_;
  std::string command_, method_;
  cli::ShownWatch watch_;
  inference::Target target_;
  artifacts::TargetIdentity identity_;
  artifacts::ArtifactSet known_;
  std::string draft_, hash_;  // of the drafter: its file, and what identifies it
  WorkShare share_;
  std::deque<data::Journal> journals_;
};

}  // namespace outrider::calibrate
