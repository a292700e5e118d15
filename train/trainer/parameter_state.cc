#include "train/trainer/parameter_state.h"

#include <ATen/ops/empty_like.h>
#include <ATen/ops/tensor.h>
#include <c10/core/GradMode.h>
#include <fmt/core.h>
#include <fmt/ranges.h>

#include "runtime/base/error.h"

namespace outrider::train {
namespace {

std::vector<float> floats_of(const at::Tensor& tensor) {
  const at::Tensor here = tensor.detach().cpu().contiguous();
  const float* data = here.const_data_ptr<float>();
  return {data, data + here.numel()};
}

void copy_floats(const std::vector<float>& values, const at::Tensor& tensor) {
  tensor.copy_(at::tensor(values).view(tensor.sizes()));
}

void check_shapes(std::span<const SavedParameter> saved, const std::vector<Parameter>& parameters) {
  if (saved.size() != parameters.size())
    throw InputError(fmt::format("the checkpoint: expected {} parameters, found {}",
                                 parameters.size(), saved.size()));
  for (std::size_t i = 0; i < saved.size(); ++i) {
    const std::vector<std::int64_t> dims = parameters[i].value.sizes().vec();
    if (saved[i].name != parameters[i].name || saved[i].dims != dims)
      throw InputError(
          fmt::format("the checkpoint: expected parameter {} of shape {}, found {} of shape {}",
                      parameters[i].name, dims, saved[i].name, saved[i].dims));
  }
}

}  // namespace

std::vector<SavedParameter> saved_parameters(const AdamW& optimiser,
                                             const std::vector<at::Tensor>& best) {
  std::vector<SavedParameter> all;
  for (std::size_t i = 0; i < optimiser.parameters().size(); ++i) {
    const Parameter& parameter = optimiser.parameters()[i];
    SavedParameter& saved = all.emplace_back();
    saved.name = parameter.name;
    saved.dims = parameter.value.sizes().vec();
    saved.value = floats_of(parameter.value);
    saved.first = floats_of(optimiser.moments()[i].first);
    saved.second = floats_of(optimiser.moments()[i].second);
    if (!best.empty()) saved.best = floats_of(best[i]);
  }
  return all;
}

std::vector<at::Tensor> restore_parameters(std::span<const SavedParameter> saved,
                                           AdamW& optimiser) {
  const c10::NoGradGuard no_gradients;
  check_shapes(saved, optimiser.parameters());
  std::vector<at::Tensor> best;
  for (std::size_t i = 0; i < saved.size(); ++i) {
    const at::Tensor& value = optimiser.parameters()[i].value;
    copy_floats(saved[i].value, value);
    copy_floats(saved[i].first, optimiser.moments()[i].first);
    copy_floats(saved[i].second, optimiser.moments()[i].second);
    if (saved[i].best.empty()) continue;
    best.push_back(at::empty_like(value));
    copy_floats(saved[i].best, best.back());
  }
  return best;
}

std::vector<at::Tensor> copies(const std::vector<Parameter>& parameters) {
  std::vector<at::Tensor> values;
  for (const Parameter& parameter : parameters) values.push_back(parameter.value.detach().clone());
  return values;
}

void copy_into(const std::vector<at::Tensor>& values, const std::vector<Parameter>& parameters) {
  const c10::NoGradGuard no_gradients;
  for (std::size_t i = 0; i < values.size(); ++i) parameters[i].value.copy_(values[i]);
}

std::string weights_hash(const std::vector<Parameter>& parameters) {
  Checkpoint checkpoint;
  for (const Parameter& parameter : parameters) {
    SavedParameter& saved = checkpoint.parameters.emplace_back();
    saved.name = parameter.name;
    saved.value = floats_of(parameter.value);
  }
  return weights_hash(checkpoint);
}

void share_weights(Workers& workers, const std::vector<Parameter>& parameters) {
  const c10::NoGradGuard no_gradients;
  for (const Parameter& parameter : parameters) {
    std::vector<float> values = floats_of(parameter.value);
    workers.broadcast(std::as_writable_bytes(std::span(values)));
    copy_floats(values, parameter.value);
  }
}

void restore_best(std::span<const SavedParameter> saved, const std::vector<Parameter>& parameters) {
  const c10::NoGradGuard no_gradients;
  check_shapes(saved, parameters);
  for (std::size_t i = 0; i < saved.size(); ++i)
    copy_floats(saved[i].best.empty() ? saved[i].value : saved[i].best, parameters[i].value);
}

}  // namespace outrider::train
