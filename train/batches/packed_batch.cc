#include "train/batches/packed_batch.h"

#include <ATen/ATen.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "runtime/base/error.h"

namespace outrider::train {
namespace {

constexpr std::int64_t kRowsMultiple = 128;
constexpr std::int64_t kQueriesMultiple = 64;

std::vector<std::int32_t> predicted_outputs(const data::Trace& trace, Predicted predicted) {
  std::vector<std::int32_t> outputs;
  for (std::size_t i = 0; i < trace.output_tokens.size(); ++i) {
    const bool with_loss =
        trace.loss_mask[trace.prompt_tokens.size() + i] != 0 && trace.in_loop[i] == 0;
    if (predicted == Predicted::kAll || with_loss) outputs.push_back(static_cast<std::int32_t>(i));
  }
  return outputs;
}

/// Collects traces.
class Packer {
 public:
  Packer(const HeadRows& head, int most_context) : head_(head), most_context_(most_context) {}

  void add(const data::Trace& trace, std::int32_t index, std::span<const std::int32_t> outputs) {
    const auto prompt = static_cast<std::int64_t>(trace.prompt_tokens.size());
    const std::int64_t skipped =
        most_context_ == 0 ? 0 : std::max<std::int64_t>(0, prompt - most_context_);
    const std::int64_t length = prompt - skipped + outputs.back();
    const auto first_row = static_cast<std::int64_t>(tokens_.size());
    const auto first_query = static_cast<std::int64_t>(queries_.size());
    for (std::int64_t i = 0; i < length; ++i) {
      const std::int64_t at = skipped + i;
      tokens_.push_back(at < prompt ? trace.prompt_tokens[static_cast<std::size_t>(at)]
                                    : trace.output_tokens[static_cast<std::size_t>(at - prompt)]);
      positions_.push_back(i);
    }
    for (const std::int32_t output : outputs) {
      const std::int64_t position = prompt - skipped + output - 1;
      queries_.push_back(first_row + position);
      query_positions_.push_back(position);
      predicted_.emplace_back(index, output);
      add_targets(trace, static_cast<std::size_t>(output));
    }
    all_.push_back({first_row, length, first_row, length});
    queried_.push_back({first_row, length, first_query, std::ssize(outputs)});
  }

  PackedBatch finish(std::int64_t k, at::Device device) {
    if (!queries_.empty()) add_last_text(k);
    const auto count = std::ssize(queries_);
    const QueryTargets targets{
        .rows = at::tensor(rows_, at::kLong).view({count, k}),
        .probabilities = at::tensor(probabilities_, at::kFloat).view({count, k}),
        .greedy = at::tensor(greedy_, at::kLong),
        .taken = at::tensor(taken_, at::kLong)};
    return {.tokens = at::tensor(tokens_, at::kLong).to(device),
            .positions = at::tensor(positions_, at::kLong).to(device),
            .queries = at::tensor(queries_, at::kLong).to(device),
            .all = {std::move(all_), positions_},
            .queried = {std::move(queried_), std::move(query_positions_)},
            .targets = targets.to(device),
            .predicted = std::move(predicted_)};
  }

 private:
  /// See PackedBatch.
  void add_last_text(std::int64_t k) {
    const auto first_row = static_cast<std::int64_t>(tokens_.size());
    const auto first_query = static_cast<std::int64_t>(queries_.size());
    const std::int64_t rows = kRowsMultiple - first_row % kRowsMultiple;
    const std::int64_t queries =
        (kQueriesMultiple - first_query % kQueriesMultiple) % kQueriesMultiple;
    for (std::int64_t i = 0; i < rows; ++i) {
      tokens_.push_back(0);
      positions_.push_back(i);
    }
    for (std::int64_t i = 0; i < queries; ++i) {
      query_positions_.push_back(std::min(i, rows - 1));
      queries_.push_back(first_row + query_positions_.back());
      greedy_.push_back(-1);
      taken_.push_back(-1);
    }
    rows_.resize(rows_.size() + static_cast<std::size_t>(queries * k), -1);
    probabilities_.resize(rows_.size(), 0);
    all_.push_back({first_row, rows, first_row, rows});
    queried_.push_back({first_row, rows, first_query, queries});
  }

  void add_targets(const data::Trace& trace, std::size_t output) {
    const std::size_t k = trace.top_ids.size() / trace.output_tokens.size();
    for (std::size_t j = output * k; j < (output + 1) * k; ++j) {
      rows_.push_back(head_.row(trace.top_ids[j]));
      probabilities_.push_back(std::exp(trace.top_log_probs[j]));
    }
    greedy_.push_back(head_.row(trace.top_ids[output * k]));
    taken_.push_back(head_.row(trace.output_tokens[output]));
  }

  const HeadRows& head_;
  int most_context_;
  std::vector<std::int64_t> tokens_, positions_, queries_, query_positions_, rows_, greedy_, taken_;
  std::vector<float> probabilities_;
  std::vector<AttentionSpan> all_, queried_;
  std::vector<std::pair<std::int32_t, std::int32_t>> predicted_;
};

}  // namespace

QueryTargets QueryTargets::to(at::Device device) const {
  return {rows.to(device), probabilities.to(device), greedy.to(device), taken.to(device)};
}

PackedBatch pack(std::span<const data::Trace> traces, const HeadRows& head, Predicted predicted,
                 int most_context, at::Device device) {
  Packer packer(head, most_context);
  std::size_t k = 0;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const std::vector<std::int32_t> outputs = predicted_outputs(traces[i], predicted);
    if (outputs.empty()) continue;
    const std::size_t kept = traces[i].top_ids.size() / traces[i].output_tokens.size();
    if (kept == 0 || (k != 0 && kept != k))
      throw InputError(
          fmt::format("trace '{}' stores the {} most likely tokens of each position; expected {}: "
                      "make the traces with --keep-top 32",
                      traces[i].id, kept, k == 0 ? "at least 1" : std::to_string(k)));
    k = kept;
    packer.add(traces[i], static_cast<std::int32_t>(i), outputs);
  }
  return packer.finish(static_cast<std::int64_t>(k), device);
}

}  // namespace outrider::train
