#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/answers/answer.h"
#include "calibrate/replay/recomputed.h"
#include "calibrate/replay/replay.h"
#include "calibrate/studies/study_files.h"
#include "data/journal/journal.h"
#include "data/store/trace_store.h"
#include "runtime/base/watch.h"
#include "runtime/draft/acceptance_table.h"
#include "runtime/inference/generation.h"
#include "runtime/inference/target.h"
#include "runtime/methods/method.h"
#include "runtime/prompt_files/prompt_file.h"

namespace outrider::calibrate {

/// A method, and who is told of its replays.
struct ReplayStudy {
  std::unique_ptr<methods::Method> method;
  artifacts::Folders folders;  // as for methods::MethodTarget
  std::shared_ptr<cost::QuickCosts>
      costs;                       // where costs come from that no artifact has; null: nowhere
  std::function<void()> on_ready;  // called once, when the method is prepared and before any text
  std::function<void(const Answer&, const methods::PreparedMethod&, const Replay&)> on_replay;
  std::filesystem::path journals;  // a folder
};

/// Replays texts with a method: what it would have drafted and have accepted. Each function throws Interrupted, and goes on
/// after the texts that were replayed before.
class Replays {
 public:
  /// @param target, watch  must outlive it
  Replays(inference::Target& target, ReplayStudy study, Watch& watch);

  /// Texts of earlier runs.
  void of_answers(const std::vector<Answer>& answers);
  /// The answers of a trace store. Where it has the states that the drafter observes, these are used.
  void of_traces(const data::TraceStore& store);
  /// Decodes texts first.
  /// @param sequences  of them at a time, in the same passes
  /// @throws CheckFailed naming the first pass that differs
  void of_decoding(const std::vector<text::PromptRecord>& prompts,
                   const inference::GenerationOptions& options, int sequences);

  /// Once the results are stored: what was done is not gone on from again.
  void remove_journal() { journal_->remove(); }

  /// Keeps what was counted of the acceptance of the drafts, if anything was. @param seed  of the texts
  void write_acceptance(const StudyFiles& files, const std::string& group,
                        std::uint64_t seed) const;

  std::int64_t texts() const { return texts_; }
  /// The sums over all texts.
  const Replay& sum() const { return sum_; }

 private:
  using OnGenerated = std::function<void(const inference::GeneratedText&)>;

  /// The method with its settings for a temperature.
  const methods::PreparedMethod& method(double temperature);
  void be_ready();
  void resume(const std::vector<Answer>& answers, const std::string& settings);
  void plan_by(const Answer& first, const std::vector<Answer>& left,
               const std::function<Replay()>& replay_first);
  void plan_decoding(const std::vector<text::PromptRecord>& left,
                     inference::GenerationOptions options, int sequences);
  bool restore(const Answer& answer);
  Replay replay(const Answer& answer, Observations* observations);
  void count(const Answer& answer, const Replay& replayed);
  void keep(const Answer& answer, const Replay& replayed);
  void decode(const inference::GenerationOptions& options, int sequences,
              const std::vector<text::PromptRecord>& prompts, const OnGenerated& on_text);
  void decode_alone(const inference::GenerationOptions& options,
                    const std::vector<text::PromptRecord>& prompts, const OnGenerated& on_text);
  void decode_together(const inference::GenerationOptions& options, int sequences,
                       const std::vector<text::PromptRecord>& prompts, const OnGenerated& on_text);

  inference::Target& target_;
  ReplayStudy study_;
  Watch& watch_;
  Recomputed recomputed_;
  int sequences_ = 1;                                   // that are decoded at a time
  std::map<double, methods::PreparedMethod> prepared_;  // by temperature
  bool is_ready_ = false;
  std::optional<data::Journal> journal_;  // of the texts
  Replay sum_;
  std::map<double, draft::AcceptanceTable> acceptance_;
  std::int64_t texts_ = 0;
};

}  // namespace outrider::calibrate
