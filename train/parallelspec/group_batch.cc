#include "train/parallelspec/group_batch.h"

#include <ATen/ATen.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "runtime/base/error.h"

namespace outrider::train {
namespace {

// Rows and groups of a batch are multiples of these.
constexpr std::int64_t kRoundRows = 128;
constexpr std::int64_t kRoundGroups = 32;
// So many tokens of a prompt are always kept: the first group has a row before it.
constexpr int kLeastContext = 4;

Token token_at(const data::Trace& trace, std::int64_t index) {
  const auto prompt = std::ssize(trace.prompt_tokens);
  return index < prompt ? trace.prompt_tokens[static_cast<std::size_t>(index)]
                        : trace.output_tokens[static_cast<std::size_t>(index - prompt)];
}

/// The states of a layer, [positions, width].
std::span<const Bfloat16> states_of(const data::Trace& trace, int layer) {
  for (const data::LayerStates& states : trace.states)
    if (states.layer == layer) return states.values;
  throw std::logic_error("a trace comes without the target's states");
}

/// What the target made of the tokens of one slot.
struct SlotTargets {
  std::vector<std::int64_t> rows, greedy, taken;
  std::vector<float> probabilities;

  void add(const data::Trace& trace, std::size_t output, const HeadRows& head) {
    const std::size_t k = trace.top_ids.size() / trace.output_tokens.size();
    for (std::size_t j = output * k; j < (output + 1) * k; ++j) {
      rows.push_back(head.row(trace.top_ids[j]));
      probabilities.push_back(std::exp(trace.top_log_probs[j]));
    }
    greedy.push_back(head.row(trace.top_ids[output * k]));
    taken.push_back(head.row(trace.output_tokens[output]));
  }

  void add_unknown(std::int64_t k) {
    rows.insert(rows.end(), static_cast<std::size_t>(k), -1);
    probabilities.insert(probabilities.end(), static_cast<std::size_t>(k), 0.0F);
    greedy.push_back(-1);
    taken.push_back(-1);
  }

  QueryTargets tensors(std::int64_t k) const {
    const auto count = std::ssize(greedy);
    return {.rows = at::tensor(rows, at::kLong).view({count, k}),
            .probabilities = at::tensor(probabilities, at::kFloat).view({count, k}),
            .greedy = at::tensor(greedy, at::kLong),
            .taken = at::tensor(taken, at::kLong)};
  }
};

at::Tensor tensor_of(const std::vector<Bfloat16>& values, at::IntArrayRef sizes) {
  at::Tensor tensor = at::empty(sizes, at::kBFloat16);
  std::memcpy(tensor.mutable_data_ptr(), values.data(), values.size() * sizeof(Bfloat16));
  return tensor;
}

/// Collects traces.
class GroupPacker {
 public:
  /// @param k      stored probabilities of a token
  /// @param width  of a state
  GroupPacker(const ParallelSpecShape& shape, const HeadRows& head, bool all_counted,
              std::int64_t k, std::int64_t width)
      : shape_(shape),
        layers_(shape.state_layers()),
        head_(head),
        all_counted_(all_counted),
        k_(k),
        width_(width),
        targets_(static_cast<std::size_t>(shape.slots())) {}

  /// @param skipped  tokens of the prompt that are left out
  void add(const data::Trace& trace, std::int32_t index, const GroupStarts& starts,
           std::int64_t skipped) {
    const auto prompt = std::ssize(trace.prompt_tokens);
    const std::int64_t first_token = skipped + shape_.first_token();
    const auto position_of = [&](std::int32_t start) {
      return prompt + start - 1 - shape_.first_slot() - first_token;
    };
    if (position_of(starts.front()) < 0)
      throw std::logic_error("a group begins before the first real row");
    const std::int64_t length = position_of(starts.back()) + 1;
    const auto first_row = std::ssize(positions_);
    const auto first_group = std::ssize(real_rows_);
    for (std::int64_t i = 0; i < length; ++i) add_row(trace, first_token + i, i);
    for (const std::int32_t start : starts) {
      add_group(first_row, position_of(start));
      groups_.emplace_back(index, start);
      for (std::int32_t slot = 0; slot < shape_.slots(); ++slot)
        add_slot(trace, start + slot, slot);
    }
    layout_.spans.push_back({first_row, length, first_group, std::ssize(starts)});
  }

  GroupBatch finish(at::Device device) {
    if (!groups_.empty()) add_last_text();
    const auto rows = std::ssize(positions_);
    const auto groups = std::ssize(real_rows_);
    GroupBatch batch;
    if (shape_.reads_tokens()) batch.tokens = at::tensor(tokens_, at::kLong).to(device);
    if (shape_.reads_states()) batch.states = tensor_of(states_, {rows, row_width()}).to(device);
    batch.positions = at::tensor(positions_, at::kLong).to(device);
    batch.real_rows = at::tensor(real_rows_, at::kLong).to(device);
    batch.layout = std::move(layout_);
    for (const SlotTargets& slot : targets_) batch.targets.push_back(slot.tensors(k_).to(device));
    batch.counted = at::tensor(counted_, at::kFloat).view({groups, shape_.slots()}).to(device);
    if (shape_.learns_states())
      batch.wanted = tensor_of(wanted_, {groups, shape_.slots(), width_}).to(device);
    batch.groups = std::move(groups_);
    return batch;
  }

 private:
  /// The row of a token: itself, and its state or, for EAGLE, that of the token before it.
  void add_row(const data::Trace& trace, std::int64_t token, std::int64_t position) {
    positions_.push_back(position);
    if (shape_.reads_tokens()) tokens_.push_back(token_at(trace, token));
    if (!shape_.reads_states()) return;
    for (const int layer : layers_) add_state(trace, layer, token - shape_.first_token(), states_);
  }

  void add_group(std::int64_t first_row, std::int64_t position) {
    real_rows_.push_back(first_row + position);
    layout_.query_positions.push_back(position);
  }

  void add_slot(const data::Trace& trace, std::int32_t output, std::int32_t slot) {
    const auto at = static_cast<std::size_t>(output);
    const bool counts = at < trace.output_tokens.size() && (all_counted_ || has_loss(trace, at));
    counted_.push_back(counts ? 1.0F : 0.0F);
    SlotTargets& targets = targets_[static_cast<std::size_t>(slot)];
    if (counts)
      targets.add(trace, at, head_);
    else
      targets.add_unknown(k_);
    if (!shape_.learns_states()) return;
    // The state that the token is predicted from is that of the token before it.
    if (counts)
      add_state(trace, engine::kFinalNorm, std::ssize(trace.prompt_tokens) + output - 1, wanted_);
    else
      wanted_.insert(wanted_.end(), static_cast<std::size_t>(width_), Bfloat16{0});
  }

  void add_state(const data::Trace& trace, int layer, std::int64_t index,
                 std::vector<Bfloat16>& rows) const {
    const auto state =
        states_of(trace, layer)
            .subspan(static_cast<std::size_t>(index * width_), static_cast<std::size_t>(width_));
    rows.insert(rows.end(), state.begin(), state.end());
  }

  /// See GroupBatch.
  void add_last_text() {
    const auto first_row = std::ssize(positions_);
    const auto first_group = std::ssize(real_rows_);
    const std::int64_t rows = kRoundRows - first_row % kRoundRows;
    const std::int64_t groups = (kRoundGroups - first_group % kRoundGroups) % kRoundGroups;
    for (std::int64_t i = 0; i < rows; ++i) positions_.push_back(i);
    if (shape_.reads_tokens()) tokens_.resize(positions_.size(), 0);
    if (shape_.reads_states())
      states_.resize(positions_.size() * static_cast<std::size_t>(row_width()), Bfloat16{0});
    for (std::int64_t i = 0; i < groups; ++i) {
      add_group(first_row, std::min(i, rows - 1));
      for (SlotTargets& targets : targets_) targets.add_unknown(k_);
    }
    const std::size_t slots = real_rows_.size() * static_cast<std::size_t>(shape_.slots());
    counted_.resize(slots, 0.0F);
    if (shape_.learns_states())
      wanted_.resize(slots * static_cast<std::size_t>(width_), Bfloat16{0});
    layout_.spans.push_back({first_row, rows, first_group, groups});
  }

  /// Numbers of the states that a row reads.
  std::int64_t row_width() const { return std::ssize(layers_) * width_; }

  ParallelSpecShape shape_;
  std::vector<int> layers_;
  const HeadRows& head_;
  bool all_counted_;
  std::int64_t k_, width_;
  std::vector<std::int64_t> tokens_, positions_, real_rows_;
  std::vector<Bfloat16> states_, wanted_;
  std::vector<SlotTargets> targets_;
  std::vector<float> counted_;
  AttentionLayout layout_;
  std::vector<std::pair<std::int32_t, std::int32_t>> groups_;
};

}  // namespace

bool has_loss(const data::Trace& trace, std::size_t output) {
  return trace.loss_mask[trace.prompt_tokens.size() + output] != 0 && trace.in_loop[output] == 0;
}

GroupStarts possible_starts(const data::Trace& trace, const ParallelSpecShape& shape) {
  GroupStarts starts;
  for (std::size_t output = 0; output < trace.output_tokens.size(); ++output) {
    const std::int64_t real_token = std::ssize(trace.prompt_tokens) +
                                    static_cast<std::int64_t>(output) - 1 - shape.first_slot();
    if (real_token >= shape.first_token() && has_loss(trace, output))
      starts.push_back(static_cast<std::int32_t>(output));
  }
  return starts;
}

GroupBatch pack_groups(std::span<const data::Trace> traces, std::span<const GroupStarts> starts,
                       const ParallelSpecShape& shape, const HeadRows& head, bool all_counted,
                       int most_context, at::Device device) {
  std::size_t k = 0;
  std::int64_t width = 0;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const data::Trace& trace = traces[i];
    if (starts[i].empty()) continue;
    const std::size_t kept = trace.top_ids.size() / trace.output_tokens.size();
    if (kept == 0 || (k != 0 && kept != k))
      throw InputError(
          fmt::format("trace '{}' stores the {} most likely tokens of each position; expected {}: "
                      "make the traces with --keep-top 32",
                      trace.id, kept, k == 0 ? "at least 1" : std::to_string(k)));
    k = kept;
    if (shape.reads_states())
      width = std::ssize(states_of(trace, shape.state_layers().front())) /
              static_cast<std::int64_t>(trace.positions());
  }
  GroupPacker packer(shape, head, all_counted, static_cast<std::int64_t>(k), width);
  for (std::size_t i = 0; i < traces.size(); ++i) {
    if (starts[i].empty()) continue;
    const auto prompt = std::ssize(traces[i].prompt_tokens);
    packer.add(traces[i], static_cast<std::int32_t>(i), starts[i],
               most_context == 0
                   ? 0
                   : std::max<std::int64_t>(0, prompt - std::max(most_context, kLeastContext)));
  }
  return packer.finish(device);
}

}  // namespace outrider::train
