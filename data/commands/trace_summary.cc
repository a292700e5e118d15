#include "data/commands/trace_summary.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "data/generate/byte_size.h"
#include "runtime/base/duration_text.h"
#include "runtime/base/json_text.h"
#include "runtime/base/memory.h"

namespace outrider::data {
namespace {

double per(double numerator, double denominator) {
  return denominator > 0 ? numerator / denominator : 0;
}

}  // namespace

std::string TraceSummary::line() const {
  return fmt::format(
      "{} traces, {} prompt and {} new tokens, {}, {:.4g} new tokens/s; {} of {} shards are "
      "stored, {} new in {}; peak memory {}",
      traces, prompt_tokens, output_tokens, duration_text(seconds),
      per(static_cast<double>(output_tokens), seconds), shards_before + shards_written, shards,
      shards_written, out, bytes_text(peak_rss_bytes()));
}

std::string json_of(const TraceSummary& summary, const decode::BatchStats& stats,
                    const PromptSelection& selection, const SizeEstimate& estimate,
                    const engine::Engine& engine) {
  const nlohmann::ordered_json record = {
      {"out", summary.out},
      {"interrupted", summary.interrupted},
      {"conversations", summary.conversations},
      {"traces", summary.traces},
      {"prompt_tokens", summary.prompt_tokens},
      {"output_tokens", summary.output_tokens},
      {"prompts_refused", selection.refused},
      {"prompts_too_long", selection.too_long},
      {"prompts_without_answer", selection.unanswered},
      {"prompts_changed", selection.changed},
      {"answers_cut_short", estimate.cut_answers},
      {"turns_beyond_context", summary.turns_beyond_context},
      {"shards", summary.shards},
      {"shards_before", summary.shards_before},
      {"shards_written", summary.shards_written},
      {"estimated_bytes", estimate.bytes},
      {"seconds", summary.seconds},
      {"output_tokens_per_second",
       per(static_cast<double>(summary.output_tokens), summary.seconds)},
      {"forward_seconds", stats.forward_seconds},
      {"choose_seconds", stats.choose_seconds},
      {"write_seconds", summary.write_seconds},
      {"longest_shard_seconds", summary.longest_shard_seconds},
      {"passes", stats.passes},
      {"rows_per_pass", per(static_cast<double>(stats.rows), static_cast<double>(stats.passes))},
      {"batch", summary.batch},
      {"threads", engine.workers()},
      {"numerics", engine.numerics_name()},
      {"device", engine.place().device()},
      {"isa", engine.place().unit},
      // Both are 0 for a run of less than a minute.
      {"rss_after_minute_bytes", summary.memory.first()},
      {"rss_most_since_bytes", summary.memory.most()},
      {"peak_rss_bytes", peak_rss_bytes()}};
  // A folder's name may be invalid UTF-8.
  return json_text(record) + "\n";
}

}  // namespace outrider::data
