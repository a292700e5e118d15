#include "calibrate/pld_plus/choose_lengths.h"

#include <algorithm>
#include <array>
#include <memory>

#include "calibrate/pld_plus/try_lengths.h"

namespace outrider::calibrate {
namespace {

constexpr std::size_t kScores = 8;
constexpr int kLongest = 32;

/// Bounds of classes with equally many positions.
std::vector<float> score_bounds(const CopyTable& table) {
  std::vector<float> scores;
  table.for_each_best(
      0, [&](auto, auto, const draft::RankedSource& best) { scores.push_back(best.score); });
  std::sort(scores.begin(), scores.end());
  std::vector<float> bounds;
  for (std::size_t i = 1; i < kScores && !scores.empty(); ++i)
    bounds.push_back(scores[scores.size() * i / kScores]);
  return bounds;
}

/// The number of correct tokens of a draft from `source`.
int correct_tokens(std::span<const Token> text, std::span<const Token> continuation, int source) {
  const auto draft = text.subspan(static_cast<std::size_t>(source) + 1);
  const auto wrong =
      std::mismatch(draft.begin(), draft.end(), continuation.begin(), continuation.end()).first;
  return std::min(kLongest, static_cast<int>(wrong - draft.begin()));
}

}  // namespace

draft::PldPlusLengths count_lengths(const CopyTable& table) {
  draft::PldPlusLengths lengths;
  lengths.score_bounds = score_bounds(table);
  lengths.match_bounds = {2, 3, 4, 6, 10};
  lengths.sources.resize((lengths.score_bounds.size() + 1) * (lengths.match_bounds.size() + 1));
  lengths.accepted.resize(lengths.sources.size() * kLongest);
  table.for_each_best(0, [&](std::span<const Token> text, std::span<const Token> continuation,
                             const draft::RankedSource& best) {
    const std::size_t of_class = draft::class_of(lengths, text, best);
    ++lengths.sources[of_class];
    const auto first = lengths.accepted.begin() + static_cast<std::ptrdiff_t>(of_class * kLongest);
    std::for_each(first, first + correct_tokens(text, continuation, best.position),
                  [](std::int64_t& count) { ++count; });
  });
  return lengths;
}

std::optional<draft::PldPlusLengths> choose_lengths(const CopyTable& table,
                                                    const std::vector<double>& thresholds,
                                                    int otherwise,
                                                    const cost::PassSeconds& pass_seconds) {
  const std::array<CopyTable, 2> halves = table.halves();
  const CopyTable& held_out = halves[1];
  draft::PldPlusLengths lengths = count_lengths(halves[0]);
  if (lengths.score_bounds.empty()) return std::nullopt;
  for (int rows = 1; rows <= 1 + kLongest; ++rows) lengths.seconds.push_back(pass_seconds(rows));
  lengths.otherwise = otherwise;
  const CopyDrafting by_step = {
      .lengths = std::make_shared<draft::DraftLengths>(lengths, lengths.seconds, otherwise)};
  const Replay tried = held_out.replay(0, by_step);
  if (tried.passes == 0) return std::nullopt;
  lengths.tokens_per_second = predicted_rate(tried, pass_seconds);
  const auto replay_fixed = [&](int draft_length, double threshold) {
    return held_out.replay(0, {draft_length, threshold});
  };
  for (const cost::Trial& fixed : try_lengths(replay_fixed, thresholds))
    lengths.fixed_tokens_per_second =
        std::max(lengths.fixed_tokens_per_second,
                 static_cast<double>(fixed.tokens) / fixed.verified.seconds(pass_seconds));
  return lengths;
}

}  // namespace outrider::calibrate
