#include "runtime/serve/share_by_worth.h"

#include <algorithm>
#include <vector>

#include "runtime/draft/admission.h"

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

/// What a sequence can add to a pass.
struct Offer {
  double accepted;    // probability of each token after those before it
  double with_draft;  // share of rounds that have a draft
  double drafting;    // seconds
  double next;        // probability of the next token together with those before it
  int nodes = 0;      // given so far
};

/// A pass as its rows are given out.
class SharedPass {
 public:
  /// @param texts  that have a row each
  SharedPass(int texts, const std::function<double(int rows)>& seconds)
      : seconds_(seconds), width_(texts), now_({0, static_cast<double>(texts), of(texts)}) {}

  /// What is given out: no nodes that are yet to be added.
  const draft::PayingNodes& now() const { return now_; }

  /// The best that a sequence can add: its first draft, of the best length, or one token more; nothing where that does not
  /// make the pass faster.
  draft::PayingNodes best_of(const Offer& offer, int most) {
    const bool is_first = offer.nodes == 0;
    const double drafting = is_first ? offer.drafting : 0;
    reached_.clear();
    times_.assign(1, now_.seconds);
    double next = offer.next;
    for (int rows = 1; rows <= std::min(most, is_first ? kLongestFirst : 1); ++rows) {
      reached_.push_back(offer.with_draft * next);
      times_.push_back(now_.seconds + drafting +
                       offer.with_draft * (of(width_ + rows) - of(width_)));
      next *= offer.accepted;
    }
    return draft::nodes_that_pay(reached_, times_, now_.tokens);
  }
  /// Whether these nodes give enough for the time that they take.
  bool is_worth(const draft::PayingNodes& more) const {
    return more.tokens - now_.tokens > kLeastWorth * now_.rate() * (more.seconds - now_.seconds);
  }
  void add(const draft::PayingNodes& more) {
    width_ += static_cast<int>(more.count);
    now_ = {0, more.tokens, more.seconds};
  }

 private:
  double of(int width) {
    while (static_cast<int>(known_.size()) <= width)
      known_.push_back(known_.empty() ? 0 : seconds_(static_cast<int>(known_.size())));
    return known_[static_cast<std::size_t>(width)];
  }

  const std::function<double(int rows)>& seconds_;
  std::vector<double> known_;  // by rows
  int width_;
  draft::PayingNodes now_;
  std::vector<double> reached_, times_;  // of what a sequence can add
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

}  // namespace

void share_by_worth(std::span<decode::RowShare> sequences, std::span<const PastDrafts* const> past,
                    int texts, int rows, const std::function<double(int rows)>& seconds) {
  if (texts < 2) {
    for (decode::RowShare& one : sequences) one.nodes = std::min(one.nodes, rows);
    return;
  }
  std::vector<Offer> offers = offers_of(sequences, past);
  SharedPass pass(texts, seconds);
  int left = rows;
  for (;;) {
    draft::PayingNodes best = pass.now();
    std::size_t sequence = 0;
    for (std::size_t i = 0; i < offers.size(); ++i) {
      const int most = std::min(left, sequences[i].nodes - offers[i].nodes);
      const draft::PayingNodes more = pass.best_of(offers[i], most);
      if (more.rate() <= best.rate()) continue;
      best = more;
      sequence = i;
    }
    if (best.count == 0 || !pass.is_worth(best)) break;
    pass.add(best);
    Offer& offer = offers[sequence];
    const int given = static_cast<int>(best.count);
    for (int i = 0; i < given; ++i) offer.next *= offer.accepted;
    offer.nodes += given;
    left -= given;
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
