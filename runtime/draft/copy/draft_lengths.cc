#include "runtime/draft/copy/draft_lengths.h"

#include <algorithm>
#include <stdexcept>

#include "runtime/draft/admission.h"

namespace outrider::draft {
namespace {

constexpr std::int64_t kEnoughSources = 20;

/// The length at which drafts of one class pay. Time is priced at the class's own rate, not at that of all text, because
/// sources of a class follow each other. Replays confirm it (results/pld_plus.md).
int fastest_length(std::int64_t sources, std::span<const std::int64_t> accepted,
                   std::span<const double> seconds, double least_speed_up) {
  std::vector<double> reached;
  for (const std::int64_t one : accepted)
    reached.push_back(static_cast<double>(one) / static_cast<double>(sources));
  return static_cast<int>(nodes_that_pay(reached, seconds, 1, least_speed_up).count);
}

}  // namespace

DraftLengths::DraftLengths(PldPlusLengths known, std::span<const LengthCosts> costs, int otherwise,
                           double least_speed_up)
    : known_(std::move(known)) {
  if (costs.empty() || costs.front().from != 0) throw std::logic_error("DraftLengths: no costs");
  for (const auto& [from, seconds] : costs) {
    if (seconds.size() != known_.seconds.size())
      throw std::logic_error("DraftLengths: a time for each length is missing");
    const std::size_t longest = seconds.size() - 1;
    std::vector<int>& lengths = by_text_.emplace_back(OfText{from, {}}).lengths;
    for (std::size_t i = 0; i < known_.classes(); ++i) {
      const auto accepted = std::span(known_.accepted).subspan(i * longest, longest);
      lengths.push_back(known_.sources[i] < kEnoughSources
                            ? (least_speed_up > 1 ? 0 : otherwise)
                            : fastest_length(known_.sources[i], accepted, seconds, least_speed_up));
    }
  }
}

DraftLengths::DraftLengths(PldPlusLengths known, std::span<const double> seconds, int otherwise,
                           double least_speed_up)
    : DraftLengths(std::move(known), std::vector{LengthCosts{0, {seconds.begin(), seconds.end()}}},
                   otherwise, least_speed_up) {}

int DraftLengths::choose(std::span<const Token> text, const RankedSource& source) const {
  std::size_t now = by_text_.size() - 1;
  while (static_cast<std::size_t>(by_text_[now].from) > text.size()) --now;
  return by_text_[now].lengths[class_of(known_, text, source)];
}

int DraftLengths::longest() const {
  int longest = 0;
  for (const OfText& text : by_text_)
    for (const int length : text.lengths) longest = std::max(longest, length);
  return longest;
}

std::size_t class_of(const PldPlusLengths& known, std::span<const Token> text,
                     const RankedSource& source) {
  const int most = known.match_bounds.empty() ? 1 : known.match_bounds.back();
  return known.class_of(source.score, matching_tokens(text, source.position, most));
}

}  // namespace outrider::draft
