#include "runtime/artifacts/parallel.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "runtime/artifacts/llama_group.h"
#include "runtime/base/error.h"

namespace outrider::artifacts {
namespace {

using draft::ParallelModel;
using Flavour = ParallelModel::Flavour;

constexpr int kMostMasks = 64;

/// How a model differs from what ParallelModel describes; null: it does not.
const char* fault_of(const ParallelModel& model) {
  const model::ModelConfig& config = model.layer.config;
  const bool pairs = ParallelModel::reads_pairs(model.flavour);
  const auto width = static_cast<std::size_t>(config.width);
  if (config.layers != 1 || model.layer.layers.size() != 1) return "one layer";
  if (config.state_inputs != (pairs ? 2 * config.width : 0))
    return "a projection of twice the width for EAGLE only";
  if (pairs && !model.token_inputs) return "tokens among the inputs of EAGLE";
  if (model.drafts_one_by_one() != model.mask_embeddings.empty() ||
      model.mask_embeddings.size() % width != 0 || model.masks() > kMostMasks)
    return "1 to 64 masks, none for EAGLE-AR";
  if (model.mask_features.size() != (pairs ? model.mask_embeddings.size() : 0))
    return "a feature for each mask of EAGLE only";
  if (model.best_length < 0 || model.best_length > model.most_drafts())
    return "a best length of 0 to as many tokens as the masks draft";
  return nullptr;
}

class ParallelReader {
 public:
  ParallelReader(const ArtifactFile& file, const std::string& group)
      : file_(file.reader()), group_(group) {}

  int whole(const std::string& name, int low, int high) const {
    const int value = file_.read_number<std::int32_t>(group_ + name);
    if (value < low || value > high)
      file_.refuse(group_ + name, fmt::format("expected {} to {}, found {}", low, high, value));
    return value;
  }

  /// [K, width]
  std::vector<float> masks(const std::string& name, int count, int width) const {
    auto numbers = file_.read<float>(
        group_ + name, {static_cast<std::uint64_t>(count), static_cast<std::uint64_t>(width)});
    if (!std::all_of(numbers.begin(), numbers.end(), [](float x) { return std::isfinite(x); }))
      file_.refuse(group_ + name, "holds a number that is NaN or infinite");
    return numbers;
  }

 private:
  const hdf5::Reader& file_;
  const std::string group_;
};

void write_masks(const ParallelModel& model, hdf5::Writer& file, const std::string& group) {
  const hdf5::Dims dims = {static_cast<std::uint64_t>(model.masks()),
                           static_cast<std::uint64_t>(model.layer.config.width)};
  file.add<float>(group + "/mask_embeddings", dims, model.mask_embeddings, hdf5::Packing::kPlain);
  if (ParallelModel::reads_pairs(model.flavour))
    file.add<float>(group + "/mask_features", dims, model.mask_features, hdf5::Packing::kPlain);
}

}  // namespace

void write_parallel(const ParallelModel& model, hdf5::Writer& file, const std::string& group) {
  if (const char* const expected = fault_of(model))
    throw std::logic_error(fmt::format("write_parallel: expected {}", expected));
  file.add_number<std::int32_t>(group + "/masks", model.masks());
  file.add_number<std::int32_t>(group + "/token_inputs", model.token_inputs ? 1 : 0);
  file.add_number<std::int32_t>(group + "/best_length", model.best_length);
  if (!model.drafts_one_by_one()) write_masks(model, file, group);
  write_llama_shape(model.layer.config, file, group);
  write_llama_weights(model.layer, file, group);
}

ParallelModel read_parallel(const ArtifactFile& file, const model::Model& target, Flavour flavour) {
  const bool pairs = ParallelModel::reads_pairs(flavour);
  const std::string group = parallel_group(flavour);
  const int width = target.config.width;
  ParallelModel model;
  model.flavour = flavour;
  model.layer = read_llama(
      file, target, group,
      {.most_layers = 1, .state_inputs = pairs ? 2 * width : 0, .needs_final_norm = false});
  model.layer.name = fmt::format("{} of {}", draft::method_of(flavour), target.name);
  const ParallelReader reader(file, group);
  const bool has_masks = !model.drafts_one_by_one();
  const int masks = reader.whole("/masks", has_masks ? 1 : 0, has_masks ? kMostMasks : 0);
  model.token_inputs = reader.whole("/token_inputs", pairs ? 1 : 0, 1) == 1;
  if (has_masks) model.mask_embeddings = reader.masks("/mask_embeddings", masks, width);
  if (has_masks && pairs) model.mask_features = reader.masks("/mask_features", masks, width);
  model.best_length = reader.whole("/best_length", 0, model.most_drafts());
  return model;
}

void check_head_is_of(const model::Model& target, const ParallelModel& drafter) {
  // Of the types that heads have, Q4_1 rounds the most, by some 7 % of a row's length.
  constexpr double kMostError = 0.2 * 0.2;
  const model::Weight& head = drafter.layer.head;
  const auto width = static_cast<std::size_t>(target.config.width);
  std::vector<float> own(width), targets(width);
  for (std::int64_t r = 0; r < head.rows; ++r) {
    const Token token = drafter.layer.head_tokens.empty()
                            ? static_cast<Token>(r)
                            : drafter.layer.head_tokens[static_cast<std::size_t>(r)];
    head.read_row(r, own.data());
    target.head.read_row(token, targets.data());
    double error = 0, length = 0;
    for (std::size_t i = 0; i < width; ++i) {
      const double difference = double{own[i]} - double{targets[i]};
      error += difference * difference;
      length += double{targets[i]} * double{targets[i]};
    }
    if (error <= kMostError * length) continue;
    throw InputError(fmt::format(
        "{}: {}: row {} is not the row of token {} of the target's head, as /head_tokens has it; "
        "the group was made with another vocabulary: train it again",
        drafter.layer.path.string(), head.name, r, token));
  }
}

}  // namespace outrider::artifacts
