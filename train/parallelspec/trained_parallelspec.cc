#include "train/parallelspec/trained_parallelspec.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <array>

#include "train/modules/linear.h"
#include "train/modules/rms_norm.h"
#include "train/modules/size.h"
#include "train/reference/load_weight.h"

namespace outrider::train {
ParallelSpecDrafter::ParallelSpecDrafter(const model::Model& target, const ParallelSpecShape& shape,
                                         std::vector<Token> head_tokens, bool has_norm,
                                         const at::TensorOptions& tensors)
    : ServedDrafter(target, shape, std::move(head_tokens), tensors),
      config_(draft_config(target, std::array{target.config.layers})),
      embedding_(load_embedding(target, tensors)),
      layer_(load_layer(target.layers.back(), target.config.used_experts, tensors)),
      mask_embeddings_(at::zeros({shape.trained_masks(), config_.width}, tensors)) {
  keep_units(shape.feed_forward, config_, layer_);
  if (has_norm) final_norm_ = load_vector(target.final_norm, tensors);
  if (shape.reads_pairs()) {
    const at::Tensor one = at::eye(config_.width, tensors);
    state_unit_ = power_of_two_near(root_mean_square(load_vector(target.final_norm, tensors)));
    embedding_unit_ = power_of_two_near(root_mean_square(embedding_));
    fc_ = at::cat({one * state_unit_, at::zeros_like(one)}, 1);
    mask_features_ = at::zeros_like(mask_embeddings_);
  }
  for (const Parameter& parameter : parameters()) parameter.value.set_requires_grad(true);
}

std::vector<Parameter> ParallelSpecDrafter::parameters() const {
  std::vector<Parameter> all;
  add_parameters(layer_, "layer.", all);
  if (fc_.defined()) all.push_back({"fc", fc_, true});
  if (final_norm_.defined()) all.push_back({"final_norm", final_norm_, false});
  if (shape().masks == 0) return all;
  all.push_back({"mask_embeddings", mask_embeddings_, false});
  if (mask_features_.defined()) all.push_back({"mask_features", mask_features_, false});
  return all;
}

at::Tensor ParallelSpecDrafter::inputs(const GroupBatch& batch, Precision precision) const {
  const auto type = precision == Precision::kBf16 ? at::kBFloat16 : embedding_.scalar_type();
  const auto states = [&] { return batch.states.to(type); };
  const auto tokens = [&] { return embedding_.index_select(0, batch.tokens).to(type); };
  if (shape().reads_pairs())
    return at::cat({states() / state_unit_, tokens() / embedding_unit_}, 1);
  return (shape().token_inputs ? tokens() : states()).to(embedding_.scalar_type());
}

at::Tensor ParallelSpecDrafter::begin(const at::Tensor& inputs, Precision precision) const {
  if (!fc_.defined()) return inputs;
  return linear(inputs, fc_, precision).to(embedding_.scalar_type());
}

at::Tensor ParallelSpecDrafter::served_fc() const {
  const auto halves = fc_.detach().chunk(2, 1);
  return at::cat({halves[0] / state_unit_, halves[1] / embedding_unit_}, 1);
}

void ParallelSpecDrafter::average_masks(const GroupBatch& batch) {
  if (shape().masks == 0) return;
  const at::Tensor mean = inputs(batch, Precision::kF32).index_select(0, batch.real_rows).mean(0);
  const std::int64_t width = config_.width;
  if (mask_features_.defined()) {
    mask_features_.copy_(mean.narrow(0, 0, width).unsqueeze(0).expand_as(mask_features_));
    mask_embeddings_.copy_(mean.narrow(0, width, width).unsqueeze(0).expand_as(mask_embeddings_));
  } else {
    mask_embeddings_.copy_(mean.unsqueeze(0).expand_as(mask_embeddings_));
  }
}

GroupStream ParallelSpecDrafter::stream_parts(const GroupBatch& batch, Precision precision) const {
  const auto rows = [&](const at::Tensor& x) -> LayerRows {
    return {x, rms_norm(x, layer_.attn_norm, static_cast<double>(config_.norm_epsilon))};
  };
  LayerRows masks;  // undefined: none
  if (shape().masks > 0)
    masks = rows(
        begin(fc_.defined() ? at::cat({mask_features_, mask_embeddings_}, 1) : mask_embeddings_,
              precision)
            .expand({shape().masks, -1})
            .contiguous());
  return group_layer(layer_, config_, batch, rows(begin(inputs(batch, precision), precision)),
                     masks, precision);
}

at::Tensor ParallelSpecDrafter::outputs(const GroupBatch& batch, Precision precision) const {
  at::Tensor sum = stream_parts(batch, precision).sum();
  if (final_norm_.defined())
    sum = rms_norm(sum, final_norm_, static_cast<double>(config_.norm_epsilon));
  return sum.view({-1, shape().slots(), config_.width});
}

void ParallelSpecDrafter::start_from(const draft::ParallelSpecModel& served) {
  const at::NoGradGuard no_gradients;
  const std::filesystem::path& path = served.layer.path;
  const auto masks = [&](const std::vector<float>& values, double unit) {
    return at::tensor(values).view({-1, config_.width}).to(embedding_.options()) / unit;
  };
  const DraftLayer earlier = load_layer(served.layer.layers.at(0), 0, embedding_.options());
  take_layer(layer_, widened(earlier, layer_), path);
  if (final_norm_.defined() && served.layer.final_norm.rows > 0)
    take_values(final_norm_, load_vector(served.layer.final_norm, embedding_.options()), path,
                "final_norm");
  if (fc_.defined()) {
    take_values(fc_, load_matrix(served.layer.state_projection, embedding_.options()), path, "fc");
    fc_.narrow(1, 0, config_.width).mul_(state_unit_);
    fc_.narrow(1, config_.width, config_.width).mul_(embedding_unit_);
  }
  if (shape().masks == 0 || served.masks() == 0) return;
  take_values(mask_embeddings_, masks(served.mask_embeddings, embedding_unit_), path,
              "mask_embeddings");
  if (mask_features_.defined())
    take_values(mask_features_, masks(served.mask_features, state_unit_), path, "mask_features");
}

draft::ParallelSpecModel ParallelSpecDrafter::model(const model::Model& target) const {
  draft::ParallelSpecModel served = untrained_model(target, config_);
  model::Model& layer = served.layer;
  layer.layers.push_back(kept_layer(layer_, layer));
  if (final_norm_.defined()) layer.final_norm = kept_weight("final_norm", final_norm_, layer);
  if (fc_.defined()) {
    layer.config.state_inputs = 2 * config_.width;
    layer.state_projection = kept_weight("fc", served_fc(), layer);
  }
  const auto floats = [&](const at::Tensor& x, double unit) {
    const at::Tensor values =
        (x.detach() * unit).to(at::kCPU, at::kFloat).expand({shape().masks, -1}).contiguous();
    return std::vector<float>(values.const_data_ptr<float>(),
                              values.const_data_ptr<float>() + values.numel());
  };
  if (shape().masks == 0) return served;
  served.mask_embeddings = floats(mask_embeddings_, embedding_unit_);
  if (mask_features_.defined()) served.mask_features = floats(mask_features_, state_unit_);
  return served;
}

}  // namespace outrider::train
