#include "runtime/commands/figures.h"

#include <fmt/core.h>

#include <numeric>

#include "runtime/base/memory.h"
#include "runtime/draft/model/model_drafter.h"
#include "runtime/report/sheet.h"

namespace outrider {
namespace {

std::string rate(std::int64_t count, double seconds) {
  if (count == 0 || seconds <= 0) return "-";
  return fmt::format("{:.1f}", static_cast<double>(count) / seconds);
}

std::int64_t sum(const std::vector<std::int64_t>& by_rank) {
  return std::accumulate(by_rank.begin(), by_rank.end(), std::int64_t{0});
}

}  // namespace

void Figures::add(const inference::GeneratedText& text) {
  const decode::DecodeStats& stats = text.result.stats;
  ++texts_;
  prefilled_tokens_ += stats.prefilled_rows;
  if (!text.result.tokens.empty()) {
    decoded_tokens_ += static_cast<std::int64_t>(text.result.tokens.size()) - 1;
  }
  passes_ += stats.passes;
  drafted_ += stats.drafted;
  accepted_ += stats.accepted;
  cut_rounds_ += stats.cut_rounds;
  for (const draft::DrafterCount& one : stats.draft_counts) counts_[one.name] += one.count;
  rows_.add(stats.rows);
  prefill_seconds_ += stats.prefill_seconds;
  decode_seconds_ += stats.decode_seconds;
}

/// How the rounds of a draft model ended, and what came from a reference; empty, or with a comma at the end.
std::string Figures::rounds() const {
  std::string rounds;
  using Model = draft::ModelDrafter;
  if (counts_.count(Model::kStoppedByPolicy) > 0)
    rounds = fmt::format("{} rounds, of which the policy stopped {} and their length {}, ",
                         counts_.at(Model::kRounds), counts_.at(Model::kStoppedByPolicy),
                         counts_.at(Model::kStoppedByLength));
  if (cut_rounds_ > 0) rounds += fmt::format("{} rounds cut for want of room, ", cut_rounds_);
  const draft::RowCounts& reference = rows_.of(draft::Source::kReference);
  if (!reference.allotted.empty())
    rounds += fmt::format("from the reference drafted {}, accepted {}, ",
                          sum(reference.drafted_tokens), sum(reference.accepted_tokens));
  return rounds;
}

std::string Figures::line(int sequences, const decode::BatchStats& stats, double seconds) const {
  return fmt::format(
      "{} texts, {} at a time: {} prompt tokens and {} new ones in {:.2f} s, {} new tokens/s, "
      "{:.2f} tokens per pass and text, {:.1f} rows per pass, drafted {}, accepted {}, {}peak "
      "memory {} MB",
      texts_, sequences, report::grouped(prefilled_tokens_), report::grouped(stats.output_tokens),
      seconds, rate(stats.output_tokens, seconds),
      decode::tokens_per_pass(decoded_tokens_, passes_),
      decode::tokens_per_pass(stats.rows, stats.passes), drafted_, accepted_, rounds(),
      peak_rss_bytes() / 1'000'000);
}

std::string Figures::line() const {
  return fmt::format(
      "{}prefill {} tokens/s, decode {} tokens/s, {:.2f} tokens per pass, drafted {}, accepted {}, "
      "{}peak memory {} MB",
      texts_ > 1 ? fmt::format("{} texts: ", texts_) : "",
      rate(prefilled_tokens_, prefill_seconds_), rate(decoded_tokens_, decode_seconds_),
      decode::tokens_per_pass(decoded_tokens_, passes_), drafted_, accepted_, rounds(),
      peak_rss_bytes() / 1'000'000);
}

}  // namespace outrider
