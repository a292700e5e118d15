#include "runtime/serve/share_by_worth.h"

#include <algorithm>
#include <vector>

namespace outrider::serve {
namespace {

/// So often a sequence drafts a little even where that is worth nothing, since texts change: after so many passes, after
/// twice and four times as many, and then as often as that.
constexpr int kFirstTry = 16;
constexpr int kLastTry = 64;
constexpr int kTriedNodes = 2;
/// Drafted tokens, accepted as those of all sequences are, that every text is taken to begin with.
constexpr double kPriorDrafted = 4;
/// The longest first draft that is weighed as a whole; later tokens are weighed one by one.
constexpr int kLongestFirst = 16;

/// The share of drafted tokens that are accepted.
double acceptance(double accepted, double drafted, double prior) {
  return (accepted + kPriorDrafted * prior) / (drafted + kPriorDrafted);
}

bool is_tried(int passes) {
  const int next = passes + 1;
  return next % kLastTry == 0 || next == kFirstTry || next == 2 * kFirstTry;
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

std::vector<Offer> offers_of(std::span<const decode::RowShare> sequences) {
  double accepted = 0, drafted = 0, drafting = 0;
  int timed = 0;
  for (const decode::RowShare& one : sequences) {
    accepted += one.stats->accepted;
    drafted += one.stats->drafted;
    drafting += one.asked.seconds;
    timed += one.asked.seconds > 0;
  }
  const double of_all = acceptance(accepted, drafted, 0.5);
  const double usual = timed == 0 ? 0 : drafting / timed;
  std::vector<Offer> offers;
  for (const decode::RowShare& one : sequences) {
    const double share = acceptance(one.stats->accepted, one.stats->drafted, of_all);
    const double with_draft = (one.asked.with_draft + 1.0) / (one.asked.rounds + 1.0);
    offers.push_back({share, with_draft, one.asked.seconds > 0 ? one.asked.seconds : usual, share});
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

void share_by_worth(std::span<decode::RowShare> sequences, int rows,
                    const std::function<double(int rows)>& seconds) {
  if (sequences.size() < 2) {
    for (decode::RowShare& one : sequences) one.nodes = std::min(one.nodes, rows);
    return;
  }
  std::vector<Offer> offers = offers_of(sequences);
  Pass pass(static_cast<int>(sequences.size()), seconds);
  int left = rows;
  for (;;) {
    Step best;
    for (std::size_t i = 0; i < offers.size(); ++i) {
      const int most = std::min(left, sequences[i].nodes - offers[i].nodes);
      Step step = best_step(offers[i], most, pass);
      step.sequence = i;
      if (step.rate > best.rate) best = step;
    }
    if (best.rows == 0 || best.rate <= pass.rate()) break;
    Offer& offer = offers[best.sequence];
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
