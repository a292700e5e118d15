#include "runtime/serve/share_by_worth.h"

#include <algorithm>
#include <vector>

namespace outrider::serve {
namespace {

/// A sequence drafts a little even where that is worth nothing, since texts change: in its pass of the first number, and then
/// in each that is a multiple of the second.
constexpr int kFirstTry = 32;
constexpr int kPassesBetweenTries = 64;
constexpr int kTriedNodes = 2;
/// Drafted rows are added only if the tokens expected per second of their cost are at least so many times those of the pass
/// so far: acceptance is less certain than the time of a pass, and drafters have costs that are not weighed here, such as
/// copying the states of rows.
constexpr double kLeastWorth = 1.15;
/// The longest first draft that is weighed as a whole; later tokens are weighed one by one.
constexpr int kLongestFirst = 16;

bool is_tried(int passes) {
  const int next = passes + 1;
  return next % kPassesBetweenTries == 0 || next == kFirstTry;
}

/// The rows of a pass as they are given out.
class Pass {
 public:
  /// @param texts  that have a row each
  Pass(int texts, const std::function<double(int rows)>& seconds)
      : seconds_(seconds), width_(texts), tokens_(texts), time_(of(texts)) {}

  double rate() const { return tokens_ / time_; }
  /// The tokens a second with so many rows more.
  double rate_with(int rows, double tokens, double share, double drafting) {
    return (tokens_ + share * tokens) / (time_ + cost(rows, share, drafting));
  }
  /// Whether these rows give enough for the time that they take.
  bool is_worth(int rows, double tokens, double share, double drafting) {
    return share * tokens > kLeastWorth * rate() * cost(rows, share, drafting);
  }
  void add(int rows, double tokens, double share, double drafting) {
    tokens_ += share * tokens;
    time_ += cost(rows, share, drafting);
    width_ += rows;
  }

 private:
  /// @param share  of the rounds that have these rows
  double cost(int rows, double share, double drafting) {
    return drafting + share * (of(width_ + rows) - of(width_));
  }
  double of(int width) {
    while (static_cast<int>(known_.size()) <= width)
      known_.push_back(known_.empty() ? 0 : seconds_(static_cast<int>(known_.size())));
    return known_[static_cast<std::size_t>(width)];
  }

  const std::function<double(int rows)>& seconds_;
  std::vector<double> known_;  // by rows
  int width_;
  double tokens_;
  double time_;
};

/// What a sequence can add to a pass.
struct Offer {
  double accepted;    // probability of each token after those before it
  double with_draft;  // share of rounds that have a draft
  double drafting;    // seconds
  double next;        // probability of the next token together with those before it
  int nodes = 0;      // given so far
};

/// More rows for a sequence.
struct Step {
  std::size_t sequence = 0;
  int rows = 0;
  double tokens = 0;
  double drafting = 0;
  double rate = 0;
};

std::vector<Offer> offers_of(std::span<const decode::RowShare> sequences,
                             std::span<const PastDrafts* const> past) {
  std::vector<Offer> offers;
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    const decode::DecodeStats& stats = *sequences[i].stats;
    const double accepted = past[i]->acceptance(stats);
    offers.push_back({accepted, past[i]->with_draft(stats), past[i]->seconds(stats), accepted});
  }
  return offers;
}

/// The best that a sequence can add now: its first draft of the best length, or one token more.
Step best_step(const Offer& offer, int most, Pass& pass) {
  Step best;
  const bool is_first = offer.nodes == 0;
  const double drafting = is_first ? offer.drafting : 0;
  double tokens = 0, next = offer.next;
  for (int rows = 1; rows <= (is_first ? std::min(most, kLongestFirst) : std::min(most, 1));
       ++rows, next *= offer.accepted) {
    tokens += next;
    const double rate = pass.rate_with(rows, tokens, offer.with_draft, drafting);
    if (rate > best.rate) best = {0, rows, tokens, drafting, rate};
  }
  return best;
}

}  // namespace

void share_by_worth(std::span<decode::RowShare> sequences, std::span<const PastDrafts* const> past,
                    int texts, int rows, const std::function<double(int rows)>& seconds) {
  if (texts < 2) {
    for (decode::RowShare& one : sequences) one.nodes = std::min(one.nodes, rows);
    return;
  }
  std::vector<Offer> offers = offers_of(sequences, past);
  Pass pass(texts, seconds);
  int left = rows;
  for (;;) {
    Step best;
    for (std::size_t i = 0; i < offers.size(); ++i) {
      const int most = std::min(left, sequences[i].nodes - offers[i].nodes);
      Step step = best_step(offers[i], most, pass);
      step.sequence = i;
      if (step.rate > best.rate) best = step;
    }
    if (best.rows == 0) break;
    Offer& offer = offers[best.sequence];
    if (!pass.is_worth(best.rows, best.tokens, offer.with_draft, best.drafting)) break;
    pass.add(best.rows, best.tokens, offer.with_draft, best.drafting);
    for (int i = 0; i < best.rows; ++i) offer.next *= offer.accepted;
    offer.nodes += best.rows;
    left -= best.rows;
  }
  for (std::size_t i = 0; i < offers.size(); ++i) {
    int nodes = offers[i].nodes;
    if (is_tried(sequences[i].stats->passes) && nodes < kTriedNodes &&
        left >= kTriedNodes - nodes) {
      left -= kTriedNodes - nodes;
      nodes = kTriedNodes;
    }
    sequences[i].nodes = std::min(sequences[i].nodes, nodes);
  }
}

}  // namespace outrider::serve
