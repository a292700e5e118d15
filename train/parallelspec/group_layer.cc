#include "train/parallelspec/group_layer.h"

#include <ATen/ATen.h>

#include <vector>

#include "train/modules/gated_silu.h"
#include "train/modules/group_attention.h"
#include "train/modules/linear.h"
#include "train/modules/rms_norm.h"
#include "train/modules/rotary.h"

namespace outrider::train {
namespace {

// [masks, numbers] -> [groups * masks, numbers]
at::Tensor for_each_group(const at::Tensor& of_masks, std::int64_t groups) {
  return of_masks.unsqueeze(0).expand({groups, -1, -1}).flatten(0, 1);
}

/// Attention of a batch's slots.
class SlotAttention {
 public:
  SlotAttention(const DraftLayer& layer, const model::ModelConfig& config, const GroupBatch& batch,
                Precision precision)
      : layer_(layer),
        config_(config),
        batch_(batch),
        groups_(batch.real_rows.size(0)),
        precision_(precision) {}

  /// @param masks        undefined: none
  /// @param real_drafts  whether real rows are slots
  /// @return [groups, slots, heads * head_width]
  at::Tensor of(const at::Tensor& rows, const at::Tensor& masks, bool real_drafts) const {
    const auto kv = linear(rows, layer_.kv, precision_).chunk(2, -1);
    const at::Tensor keys = rotary(kv[0], config_.kv_heads, rope(batch_.positions));
    const at::Tensor values = kv[1].view({rows.size(0), config_.kv_heads, -1});
    at::Tensor real;  // undefined: real rows have no output
    if (real_drafts)
      real = by_group(rotary(linear(rows.index_select(0, batch_.real_rows), layer_.q, precision_),
                             config_.heads, rope(positions_after(0, 1))));
    if (!masks.defined()) {
      const at::Tensor none = keys.new_empty({groups_, 0, keys.size(1), keys.size(2)});
      return group_attention(real, keys, values, none, none, batch_.layout);
    }

    // Masks read the same in all groups: only their positions differ.
    const std::int64_t count = masks.size(0);
    const RopeTable of_masks = rope(positions_after(1, count));
    const auto mask_kv = linear(masks, layer_.kv, precision_).chunk(2, -1);
    const at::Tensor mask_keys =
        by_group(rotary(for_each_group(mask_kv[0], groups_), config_.kv_heads, of_masks));
    const at::Tensor mask_values =
        for_each_group(mask_kv[1], groups_).view({groups_, count, config_.kv_heads, -1});
    at::Tensor queries = by_group(rotary(
        for_each_group(linear(masks, layer_.q, precision_), groups_), config_.heads, of_masks));
    if (real.defined()) queries = at::cat({real, queries}, 1);
    return group_attention(queries, keys, values, mask_keys, mask_values, batch_.layout);
  }

 private:
  /// The positions of the groups' rows from `first` after the real row on: [groups * count].
  at::Tensor positions_after(std::int64_t first, std::int64_t count) const {
    const at::Tensor real = batch_.positions.index_select(0, batch_.real_rows).unsqueeze(1);
    return (real + at::arange(first, first + count, real.options())).flatten();
  }

  RopeTable rope(const at::Tensor& positions) const {
    return rope_table(positions, config_, layer_.q.scalar_type());
  }

  // [groups * rows, heads, head_width] -> [groups, rows, heads, head_width]
  at::Tensor by_group(const at::Tensor& x) const {
    return x.view({groups_, -1, x.size(1), x.size(2)});
  }

  const DraftLayer& layer_;
  const model::ModelConfig& config_;
  const GroupBatch& batch_;
  std::int64_t groups_;
  Precision precision_;
};

}  // namespace

at::Tensor GroupStream::sum() const { return begun + attention + feed_forward; }

GroupStream group_layer(const DraftLayer& layer, const model::ModelConfig& config,
                        const GroupBatch& batch, const LayerRows& rows, const LayerRows& masks,
                        Precision precision) {
  const std::int64_t groups = batch.real_rows.size(0);
  const std::int64_t mask_count = masks.begun.defined() ? masks.begun.size(0) : 0;
  const bool real_drafts = batch.counted.size(1) > mask_count;
  std::vector<at::Tensor> slots;
  if (real_drafts) slots.push_back(rows.begun.index_select(0, batch.real_rows).unsqueeze(1));
  if (mask_count > 0) slots.push_back(masks.begun.unsqueeze(0).expand({groups, -1, -1}));
  const at::Tensor out =
      SlotAttention(layer, config, batch, precision).of(rows.normed, masks.normed, real_drafts);
  GroupStream stream;
  stream.begun = at::cat(slots, 1).reshape({-1, config.width});
  stream.attention = linear(out.flatten(0, 1), layer.o, precision);
  const at::Tensor normed = rms_norm(stream.begun + stream.attention, layer.ffn_norm,
                                     static_cast<double>(config.norm_epsilon));
  stream.feed_forward =
      linear(gated_silu(linear(normed, layer.gate_up, precision)), layer.down, precision);
  return stream;
}

}  // namespace outrider::train
