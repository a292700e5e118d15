#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "runtime/draft/drafter.h"
#include "runtime/draft/drawn_children.h"
#include "runtime/draft/model/chain_passes.h"
#include "runtime/draft/model/text_counts.h"
#include "runtime/draft/stop/row_features.h"
#include "runtime/draft/stop/stop_policy.h"
#include "runtime/sampling/chooser.h"

namespace outrider::draft {

struct ModelDrafterOptions {
  int longest = 5;                                  // tokens of a round at most
  int most_text = std::numeric_limits<int>::max();  // tokens; after longer texts nothing is drafted
  /// The model reads at most so many of the last tokens of a prompt.
  int window = std::numeric_limits<int>::max();
  /// How drafts are drawn, and so verified: with the target's noise, or with noise of their own.
  Verification verification = Verification::kCoupled;
  int target_vocab = 0;
  /// The token of each row of the draft's head, ascending; empty: row v is token v.
  std::vector<Token> head_tokens = {};
};

/// Drafts a chain with a model of its own, token by token, until a policy stops it. Each token is the
/// choice that the target would make if its logits were the draft's: after the same penalties and filters
/// along the chain's own path, with the same noise, so that the two agree wherever their distributions do.
class ModelDrafter : public Drafter {
 public:
  // The names of its counts that others read.
  static constexpr const char* kRounds = "rounds";  // drafts
  static constexpr const char* kPasses = "passes";  // of its model
  static constexpr const char* kStoppedByPolicy = "stopped_by_policy";
  static constexpr const char* kStoppedByLength = "stopped_by_length";

  /// @param engine  of the draft model, which other drafters may share
  ModelDrafter(std::shared_ptr<engine::Engine> engine, std::unique_ptr<StopPolicy> stop,
               ModelDrafterOptions options);

  std::string name() const override { return "ssd"; }
  /// Reports the prefill of its model separately.
  DrafterReport report(double seconds) const override;
  DrafterTraits traits() const override {
    return {.verification = options_.verification, .most_nodes = options_.longest};
  }
  std::int64_t text_bytes(int tokens) const override { return passes_.bytes(tokens); }
  void verified(std::span<const int> accepted, Token next) override;

 protected:
  void fill(const DraftContext& context, TokenTree& tree) override;
  int begin(const TextStart& text) override;

 private:
  static constexpr int kMostAtOnce = 32;  // tokens

  void begin_reading(std::span<const Token> text);
  engine::LogitsRow read(const DraftContext& context);
  int draw(const DraftContext& context, const engine::LogitsRow& row, int most);
  DraftedToken drawn_token(int i);

  ModelDrafterOptions options_;
  std::shared_ptr<engine::Engine> engine_;
  std::unique_ptr<StopPolicy> stop_;
  ChainPasses passes_;
  std::unique_ptr<sampling::Chooser> chooser_;
  RowFeatureReader features_;
  DrawnChildren drawn_;

  // State of the round.
  int drafted_ = 0;
  std::vector<Token> text_;  // with what is drafted after it, for policies that need it
  std::vector<sampling::DraftQuestion> questions_;
  std::vector<sampling::DraftAnswer> answers_;
  std::vector<Token> forwarded_;
  std::vector<engine::RowAhead> rows_ahead_;
  std::vector<sampling::RankedToken> drawn_now_;
  // State of the text. The counts are the target's, and those of the chain while it is drafted.
  int prompt_ = 0;  // tokens
  int unseen_ = 0;  // tokens before the first that the model reads
  TextCounts counts_;
  double prefill_seconds_ = 0;
  std::int64_t prefilled_ = 0;  // tokens
  std::int64_t num_passes_ = 0;
  std::int64_t rounds_ = 0;
  std::int64_t stopped_by_policy_ = 0;
  std::int64_t stopped_by_length_ = 0;
};

}  // namespace outrider::draft
