#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/study/draft_outcomes.h"
#include "data/study/stop_evaluation.h"
#include "data/study/stop_study.h"
#include "data/study/timed_round.h"
#include "runtime/base/watch.h"
#include "runtime/engine/engine.h"
#include "runtime/inference/generation.h"
#include "runtime/prompt_files/prompt_file.h"

namespace outrider::study {

/// A stop policy as it is measured.
struct StudiedPolicy {
  std::string name;
  std::string settings;  // for people
  std::function<std::unique_ptr<draft::Drafter>()> new_drafter;
  std::optional<StopEvaluation> evaluation = {};  // none for the oracle, which is always right

  /// Whether only tokens are drafted that will be accepted: OracleDrafter.
  bool is_oracle() const { return !evaluation; }
};

/// Decodes every prompt with the target alone and with a draft model under each policy, in turns that begin with
/// another of them for each text and round, and has the policies predict which tokens of the plain texts are
/// accepted: fills in a StopStudy.
class StopStudyRun {
 public:
  /// @param draft        the draft model of all policies
  /// @param head_tokens  as Model::head_tokens of the draft model
  /// @param study        says how many rounds; gets its cells here, and their figures in `run`
  StopStudyRun(inference::Target& target, const inference::GenerationOptions& options,
               std::vector<StudiedPolicy> policies, engine::Engine& draft,
               std::vector<Token> head_tokens, StopStudy& study);

  /// The first tokens of a prompt's texts, of every cell once, for their time. @throws Interrupted
  void decode_sample(const text::PromptRecord& prompt, int max_new);

  /// Decodes the prompts' first turns, but for those of which the journal has a round.
  /// @throws CheckFailed should a text differ from another that has to be the same; Interrupted
  void run(const std::vector<text::PromptRecord>& prompts, data::Journal& journal, Watch& watch);

 private:
  /// What a cell gave for one prompt.
  struct Decoded {
    std::optional<decode::DecodeResult> result;  // of the first round
    std::vector<double> seconds = {};            // [rounds]
  };
  /// The first text that has to be the plain one.
  struct PlainText {
    std::optional<std::vector<Token>> tokens;
    std::string of;  // the cell
  };

  TimedRound measure(const text::PromptRecord& prompt, std::size_t first,
                     const std::function<void()>& on_text);
  decode::DecodeResult decode(const text::PromptRecord& prompt, std::size_t cell, int max_new,
                              PlainText& plain);
  std::unique_ptr<draft::Drafter> drafter_of(const text::PromptRecord& prompt, std::size_t cell,
                                             int max_new, PlainText& plain);
  void count(const text::PromptRecord& prompt, const TimedRound& round);
  void predict(const text::PromptRecord& prompt, const std::vector<Token>& plain);
  std::vector<std::uint8_t> accepted_along(const text::PromptRecord& prompt,
                                           const std::vector<Token>& plain,
                                           const OnDraftOutcome& on_outcome = {});

  inference::Target& target_;
  const inference::GenerationOptions& options_;
  std::vector<StudiedPolicy> policies_;
  StopStudy& study_;
  DraftOutcomes outcomes_;
};

}  // namespace outrider::study
