#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/decode/batch.h"
#include "runtime/inference/generation.h"
#include "runtime/inference/target.h"
#include "runtime/prompt_files/prompt_file.h"

namespace outrider::inference {

struct ConversationBatchOptions {
  int sequences = 2;  // at a time
  int samples = 1;    // of each prompt
  /// Bytes that the target's keys and values may take; fewer sequences are decoded at a time where they need more. 0: a
  /// half of the machine's memory, or of what is free on a GPU.
  std::int64_t cache_bytes = 0;
  decode::ShareRows share = decode::share_rows_evenly;
};

/// A text that was decoded beside others.
struct BatchedText {
  GeneratedText text;
  std::vector<draft::Origin> origins;  // [tokens], without their drafters
};

/// Generates the texts of Generation, those of several conversations in the same passes: of every sample of every
/// prompt, turn by turn. Each has a drafter of its own.
class ConversationBatch {
 public:
  using NewDrafter = std::function<std::unique_ptr<draft::Drafter>()>;
  using OnBatchedText = std::function<void(const BatchedText&)>;

  /// @param new_drafter  a drafter, or nullptr: plain decoding
  /// @throws InputError for sampler options that do not fit the target's vocabulary
  ConversationBatch(Target& target, GenerationOptions options, NewDrafter new_drafter,
                    ConversationBatchOptions batch);
  ~ConversationBatch();

  /// @param prompts  whose first turns fit the context
  /// @param on_text  called with each text in the order of prompts, samples and turns, once those before it are done
  /// @return false if GenerationOptions::interrupted stopped it: the texts that were begun end there
  bool run(std::span<const text::PromptRecord> prompts, const OnBatchedText& on_text);

  /// Of the last run, and how long it took.
  const decode::BatchStats& stats() const { return stats_; }
  double seconds() const { return seconds_; }

  /// Shows a text token by token, as if it were generated now.
  void replay(const BatchedText& text, const OnText& on_text) const;

 private:
  class Conversation;

  bool is_interrupted() const { return options_.interrupted && options_.interrupted(); }
  bool fill(decode::Batch& batch, std::span<const text::PromptRecord> prompts);
  void hand_out(const OnBatchedText& on_text);

  Target& target_;
  GenerationOptions options_;
  NewDrafter new_drafter_;
  ConversationBatchOptions batch_;
  int draft_nodes_ = 0;  // DrafterTraits::most_nodes; 0: plain decoding

  std::deque<std::unique_ptr<Conversation>> conversations_;  // whose texts were not all handed out
  std::size_t begun_ = 0;                                    // conversations
  std::unique_ptr<Conversation> waiting_;                    // for room
  decode::BatchStats stats_;
  double seconds_ = 0;
};

}  // namespace outrider::inference
