#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/draft/drafter.h"
#include "runtime/draft/length_costs.h"
#include "runtime/draft/ngram/extended_bigram.h"
#include "runtime/draft/ngram/recycled_rows.h"
#include "runtime/draft/ngram/table_choice.h"
#include "runtime/draft/open_nodes.h"
#include "runtime/engine/score_kernels.h"
#include "runtime/sampling/top_logits.h"

namespace outrider::draft {

struct RecyclingOptions {
  int top = 8;           // k: next tokens kept of a row
  int draft_length = 8;  // levels of the tree at most
  int nodes = 4;         // tokens of a draft; 0: at each step as many as are fastest by `passes`
  /// Costs of trees of up to 1 + kMostNodes rows, ascending from 0 tokens on; only for nodes = 0.
  std::vector<LengthCosts> passes = {};
};

/// Token Recycling (Luo et al. 2024, arXiv 2408.08696): the best next tokens of every row that was verified,
/// those of rejected rows too, are drafted where its token comes again.
///
/// Unlike the paper's, the table starts as the model's bigrams, has rows by the last two tokens where these
/// were forwarded, and draws with the target's noise; and the tree has no fixed shape: it grows by the node
/// that is the most likely to be accepted, to the number of nodes with the most tokens per second. The
/// probability of a node is that of its parent, times the share of its value in a softmax over its row, times
/// how often rows of that kind held the text's next token so far.
///
/// It learns from the text at hand only, earlier turns included: the speed of a text does not depend on
/// the texts before it.
class Recycling : public Drafter {
 public:
  static constexpr int kMostNodes = 24;  // where prices decide

  /// @param kernels  of the target's engine; must outlive it
  /// @throws std::logic_error without prices where these decide
  Recycling(TablesPtr tables, RecyclingOptions options, const engine::ScoreKernels& kernels);

  std::string name() const override { return "recycling"; }
  /// Counts by kind of row: rounds in which the last token had one, and those whose next token was
  /// in it.
  DrafterReport report(double seconds) const override;
  DrafterTraits traits() const override {
    return {.wants = {.logits = true}, .wants_rejected = true};
  }
  void observe(const engine::Pass& pass, const ObservedRows& rows) override;

 protected:
  void fill(const DraftContext& context, TokenTree& tree) override;
  int begin(const TextStart& text) override;

 private:
  static constexpr int kRoot = -1;
  enum Kind : std::uint8_t { kOfTwo, kOfOne, kOfBigram };
  static constexpr std::array kKinds = {kOfTwo, kOfOne, kOfBigram};

  struct Found {
    Kind kind;
    RecycledRows::Row row;
  };
  struct Node {
    double probability;  // of being accepted
    Token token;
    int parent;  // index of the grown node, or kRoot
    int depth;
    Origin origin;
  };
  struct Coverage {
    std::int64_t rounds = 0;
    std::int64_t covered = 0;
  };

  void forget();
  void learn(Token before, Token token, std::span<const float> logits);
  void count_coverage(std::span<const Token> text);
  Found find(Token before, Token token) const;
  double covered_share(Kind kind) const;
  void open_children(const DraftContext& context, int parent);
  void grow(const DraftContext& context, const DraftLimits& limits);

  TablesPtr tables_;
  RecyclingOptions options_;
  sampling::TopLogits top_;
  RecycledRows rows_;
  TableChoice choice_;

  // State of the text.
  Token before_ = RecycledRows::kAny;  // the token before the next row to be observed
  int drafted_after_ = 0;              // tokens at the last draft; 0: none yet
  Kind root_kind_ = kOfBigram;         // of that draft
  std::vector<Token> root_next_;       // what it had after its root
  std::array<Coverage, kKinds.size()> coverage_ = {};

  // State of the draft.
  std::vector<Node> grown_;      // the most likely first
  OpenNodes<Node> open_;         // by their probability
  std::vector<double> reached_;  // [grown] chance of each
  std::vector<int> placed_;      // [grown] nodes of the tree
};

}  // namespace outrider::draft
