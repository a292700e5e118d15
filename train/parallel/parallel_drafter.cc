#include "train/parallel/parallel_drafter.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <array>

#include "train/modules/gated_silu.h"
#include "train/modules/group_attention.h"
#include "train/modules/linear.h"
#include "train/modules/rms_norm.h"
#include "train/modules/rotary.h"
#include "train/reference/load_weight.h"

namespace outrider::train {
namespace {

/// The positions of the groups' rows from `first` after the real row on: [groups * count].
at::Tensor positions_after(const GroupBatch& batch, std::int64_t first, std::int64_t count) {
  const at::Tensor real = at::tensor(batch.layout.query_positions, at::kLong).unsqueeze(1);
  return (real + at::arange(first, first + count, at::kLong)).flatten();
}

// [masks, numbers] -> [groups * masks, numbers]
at::Tensor for_each_group(const at::Tensor& of_masks, std::int64_t groups) {
  return of_masks.unsqueeze(0).expand({groups, -1, -1}).flatten(0, 1);
}

}  // namespace

ParallelDrafter::ParallelDrafter(const model::Model& target, const ParallelShape& shape,
                                 std::vector<Token> head_tokens, bool has_norm,
                                 at::ScalarType dtype)
    : GroupDrafter(target, shape, std::move(head_tokens), dtype),
      config_(draft_config(target, std::array{target.config.layers})),
      embedding_(load_matrix(target.embedding, dtype)),
      layer_(load_layer(target.layers.back(), dtype)),
      mask_embeddings_(at::zeros({shape.trained_masks(), config_.width}, dtype)) {
  if (has_norm) final_norm_ = load_vector(target.final_norm, dtype);
  if (shape.reads_pairs()) {
    const at::Tensor one = at::eye(config_.width, dtype);
    fc_ = at::cat({one, at::zeros_like(one)}, 1);
    mask_features_ = at::zeros_like(mask_embeddings_);
  }
  for (const Parameter& parameter : parameters()) parameter.value.set_requires_grad(true);
}

std::vector<Parameter> ParallelDrafter::parameters() const {
  std::vector<Parameter> all;
  add_parameters(layer_, "layer.", all);
  if (fc_.defined()) all.push_back({"fc", fc_, true});
  if (final_norm_.defined()) all.push_back({"final_norm", final_norm_, false});
  if (shape().masks == 0) return all;
  all.push_back({"mask_embeddings", mask_embeddings_, false});
  if (mask_features_.defined()) all.push_back({"mask_features", mask_features_, false});
  return all;
}

at::Tensor ParallelDrafter::inputs(const GroupBatch& batch, Precision precision) const {
  const auto type = precision == Precision::kBf16 ? at::kBFloat16 : embedding_.scalar_type();
  const auto states = [&] { return batch.states.to(type); };
  const auto tokens = [&] { return embedding_.index_select(0, batch.tokens).to(type); };
  if (shape().reads_pairs()) return at::cat({states(), tokens()}, 1);
  return (shape().token_inputs ? tokens() : states()).to(embedding_.scalar_type());
}

at::Tensor ParallelDrafter::begin(const at::Tensor& inputs, Precision precision) const {
  if (!fc_.defined()) return inputs;
  return linear(inputs, fc_, precision).to(embedding_.scalar_type());
}

at::Tensor ParallelDrafter::attended(const GroupBatch& batch, const at::Tensor& normed,
                                     const at::Tensor& normed_masks, Precision precision) const {
  const std::int64_t groups = batch.real_rows.size(0);
  const at::ScalarType type = embedding_.scalar_type();
  const auto rope = [&](const at::Tensor& positions) {
    return rope_table(positions, config_, type);
  };
  const auto by_group = [&](const at::Tensor& x) {
    return x.view({groups, -1, x.size(1), x.size(2)});
  };
  const auto kv = linear(normed, layer_.kv, precision).chunk(2, -1);
  const at::Tensor keys = rotary(kv[0], config_.kv_heads, rope(batch.positions));
  const at::Tensor values = kv[1].view({normed.size(0), config_.kv_heads, -1});
  at::Tensor real;  // undefined: real rows have no output
  if (shape().first_slot() == 0)
    real = by_group(rotary(linear(normed.index_select(0, batch.real_rows), layer_.q, precision),
                           config_.heads, rope(positions_after(batch, 0, 1))));
  if (shape().masks == 0) {
    const at::Tensor none = keys.new_empty({groups, 0, keys.size(1), keys.size(2)});
    return group_attention(real, keys, values, none, none, batch.layout);
  }

  // Masks read the same in all groups: only their positions differ.
  const RopeTable of_masks = rope(positions_after(batch, 1, shape().masks));
  const auto mask_kv = linear(normed_masks, layer_.kv, precision).chunk(2, -1);
  const at::Tensor mask_keys =
      by_group(rotary(for_each_group(mask_kv[0], groups), config_.kv_heads, of_masks));
  const at::Tensor mask_values =
      for_each_group(mask_kv[1], groups).view({groups, shape().masks, config_.kv_heads, -1});
  at::Tensor queries = by_group(rotary(
      for_each_group(linear(normed_masks, layer_.q, precision), groups), config_.heads, of_masks));
  if (real.defined()) queries = at::cat({real, queries}, 1);
  return group_attention(queries, keys, values, mask_keys, mask_values, batch.layout);
}

ParallelDrafter::Stream ParallelDrafter::stream_parts(const GroupBatch& batch,
                                                      Precision precision) const {
  const double epsilon = static_cast<double>(config_.norm_epsilon);
  const std::int64_t groups = batch.real_rows.size(0);
  const at::Tensor x = begin(inputs(batch, precision), precision);
  std::vector<at::Tensor> slots;
  if (shape().first_slot() == 0) slots.push_back(x.index_select(0, batch.real_rows).unsqueeze(1));
  at::Tensor normed_masks;  // undefined: none
  if (shape().masks > 0) {
    const at::Tensor masks =
        begin(fc_.defined() ? at::cat({mask_features_, mask_embeddings_}, 1) : mask_embeddings_,
              precision)
            .expand({shape().masks, -1})
            .contiguous();
    slots.push_back(masks.unsqueeze(0).expand({groups, -1, -1}));
    normed_masks = rms_norm(masks, layer_.attn_norm, epsilon);
  }
  const at::Tensor out =
      attended(batch, rms_norm(x, layer_.attn_norm, epsilon), normed_masks, precision);
  const at::Tensor rows = at::cat(slots, 1);
  Stream stream;
  stream.begun = rows.reshape({-1, config_.width});
  stream.attention = linear(out.flatten(0, 1), layer_.o, precision);
  const at::Tensor normed = rms_norm(stream.begun + stream.attention, layer_.ffn_norm, epsilon);
  stream.feed_forward =
      linear(gated_silu(linear(normed, layer_.gate_up, precision)), layer_.down, precision);
  return stream;
}

at::Tensor ParallelDrafter::outputs(const GroupBatch& batch, Precision precision) const {
  const Stream stream = stream_parts(batch, precision);
  at::Tensor sum = stream.begun + stream.attention + stream.feed_forward;
  if (final_norm_.defined())
    sum = rms_norm(sum, final_norm_, static_cast<double>(config_.norm_epsilon));
  return sum.view({-1, shape().slots(), config_.width});
}

void ParallelDrafter::start_from(const draft::ParallelModel& served) {
  const at::NoGradGuard no_gradients;
  const std::filesystem::path& path = served.layer.path;
  const auto masks = [&](const std::vector<float>& values) {
    return at::tensor(values).view({-1, config_.width}).to(embedding_.scalar_type());
  };
  take_layer(layer_, served.layer.layers.at(0), path);
  if (final_norm_.defined() && served.layer.final_norm.rows > 0)
    take_values(final_norm_, load_vector(served.layer.final_norm, embedding_.scalar_type()), path,
                "final_norm");
  if (fc_.defined())
    take_values(fc_, load_matrix(served.layer.state_projection, embedding_.scalar_type()), path,
                "fc");
  if (shape().masks == 0 || served.masks() == 0) return;
  take_values(mask_embeddings_, masks(served.mask_embeddings), path, "mask_embeddings");
  if (mask_features_.defined())
    take_values(mask_features_, masks(served.mask_features), path, "mask_features");
}

draft::ParallelModel ParallelDrafter::model(const model::Model& target) const {
  draft::ParallelModel served = untrained_model(target, config_);
  model::Model& layer = served.layer;
  layer.layers.push_back(kept_layer(layer_, layer));
  if (final_norm_.defined()) layer.final_norm = kept_weight("final_norm", final_norm_, layer);
  if (fc_.defined()) {
    layer.config.state_inputs = 2 * config_.width;
    layer.state_projection = kept_weight("fc", fc_, layer);
  }
  const auto floats = [&](const at::Tensor& x) {
    const at::Tensor values = x.detach().to(at::kFloat).expand({shape().masks, -1}).contiguous();
    return std::vector<float>(values.const_data_ptr<float>(),
                              values.const_data_ptr<float>() + values.numel());
  };
  if (shape().masks == 0) return served;
  served.mask_embeddings = floats(mask_embeddings_);
  if (mask_features_.defined()) served.mask_features = floats(mask_features_);
  return served;
}

}  // namespace outrider::train
