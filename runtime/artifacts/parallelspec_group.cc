#include "runtime/artifacts/parallelspec_group.h"

#include <fmt/core.h>

#include <stdexcept>

#include "runtime/artifacts/checked_numbers.h"
#include "runtime/artifacts/llama_group.h"
#include "runtime/artifacts/stored_weights.h"
#include "runtime/base/error.h"
#include "runtime/draft/parallelspec/head_config.h"

namespace outrider::artifacts {
namespace {

using draft::ParallelSpecModel;
using Flavour = ParallelSpecModel::Flavour;

constexpr int kMostMasks = 64;

bool has_masks(Flavour flavour) {
  return flavour == Flavour::kEagle || flavour == Flavour::kMedusa;
}

/// How the layer of a model differs from what ParallelSpecModel describes; null: it does not.
const char* fault_of_layer(const ParallelSpecModel& model) {
  const model::ModelConfig& config = model.layer.config;
  const int layers = model.has_heads() ? 0 : 1;
  if (config.layers != layers || std::ssize(model.layer.layers) != layers)
    return "one layer, none for Medusa's heads";
  if (config.state_inputs != (ParallelSpecModel::reads_pairs(model.flavour) ? 2 * config.width : 0))
    return "a projection of twice the width for EAGLE only";
  return nullptr;
}

/// How a model differs from what ParallelSpecModel describes; null: it does not.
const char* fault_of(const ParallelSpecModel& model) {
  if (const char* const expected = fault_of_layer(model)) return expected;
  const auto width = static_cast<std::size_t>(model.layer.config.width);
  const bool pairs = ParallelSpecModel::reads_pairs(model.flavour);
  if ((pairs && !model.token_inputs) || (model.has_heads() && model.token_inputs))
    return "tokens among the inputs of EAGLE, and none among those of Medusa's heads";
  const model::Weight& blocks = model.residual.head;
  if (blocks.rows % model.layer.config.width != 0 ||
      (model.has_heads() ? blocks.columns != model.layer.config.width : blocks.rows != 0))
    return "square matrices of the width for Medusa's heads only";
  if (has_masks(model.flavour) == model.mask_embeddings.empty() ||
      model.mask_embeddings.size() % width != 0)
    return "masks, none for EAGLE-AR and Medusa's heads";
  if (model.masks() > kMostMasks || (model.masks() < 1) != model.drafts_one_by_one())
    return "1 to 64 masks or heads";
  const bool has_features = pairs && has_masks(model.flavour);
  if (model.mask_features.size() != (has_features ? model.mask_embeddings.size() : 0))
    return "a feature for each mask of EAGLE only";
  if (model.best_length < 0 || model.best_length > model.most_drafts())
    return "a best length of 0 to as many tokens as the masks draft";
  return nullptr;
}

class ParallelSpecReader {
 public:
  ParallelSpecReader(const ArtifactFile& file, const std::string& group)
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
    check_finite(file_, group_ + name, numbers);
    return numbers;
  }

 private:
  const hdf5::Reader& file_;
  const std::string group_;
};

void write_masks(const ParallelSpecModel& model, hdf5::Writer& file, const std::string& group) {
  const hdf5::Dims dims = {static_cast<std::uint64_t>(model.masks()),
                           static_cast<std::uint64_t>(model.layer.config.width)};
  file.add<float>(group + "/mask_embeddings", dims, model.mask_embeddings, hdf5::Packing::kPlain);
  if (ParallelSpecModel::reads_pairs(model.flavour))
    file.add<float>(group + "/mask_features", dims, model.mask_features, hdf5::Packing::kPlain);
}

/// What is written besides the masks.
void write_layer(const ParallelSpecModel& model, hdf5::Writer& file, const std::string& group) {
  write_llama_shape(model.layer.config, file, group);
  write_llama_weights(model.layer, file, group);
}

void write_heads(const ParallelSpecModel& model, hdf5::Writer& file, const std::string& group) {
  const model::Weight& blocks = model.residual.head;
  check_type(blocks, blocks.type);
  file.add_text(group + "/residual_type", model::type_name(blocks.type));
  write_matrix(blocks, file, group + "/residual");
}

model::Model read_layer(const ArtifactFile& file, const model::Model& target,
                        const std::string& group, bool pairs) {
  return read_llama(file, target, group,
                    {.most_layers = 1,
                     .state_inputs = pairs ? 2 * target.config.width : 0,
                     .needs_final_norm = false});
}

/// The head of Medusa's heads.
model::Model read_head_alone(const ArtifactFile& file, const model::Model& target,
                             const std::string& group) {
  model::Model head;
  head.path = file.reader().name();
  head.config = draft::head_config(target.config.width, target.config.vocab);
  head.config.embedding_scale = target.config.embedding_scale;
  head.tokenizer = target.tokenizer;
  head.embedding = target.embedding;
  head.files = target.files;
  head.buffers = target.buffers;
  StoredWeights(file.reader(), head).read_head(group, target);
  return head;
}

/// Their residual blocks.
model::Model read_residual(const ArtifactFile& file, const std::string& group, int heads,
                           int width) {
  model::Model residual;
  residual.path = file.reader().name();
  residual.config = draft::head_config(width, /*vocab=*/0);
  residual.head =
      StoredWeights(file.reader(), residual)
          .matrix(group + "/residual", read_weight_type(file.reader(), group + "/residual_type"),
                  std::int64_t{heads} * width, width);
  return residual;
}

}  // namespace

void write_parallelspec(const ParallelSpecModel& model, hdf5::Writer& file,
                        const std::string& group, bool shares_head) {
  if (const char* const expected = fault_of(model))
    throw std::logic_error(fmt::format("write_parallelspec: expected {}", expected));
  file.add_number<std::int32_t>(group + "/masks", model.masks());
  file.add_number<std::int32_t>(group + "/token_inputs", model.token_inputs ? 1 : 0);
  file.add_number<std::int32_t>(group + "/best_length", model.best_length);
  if (has_masks(model.flavour)) write_masks(model, file, group);
  if (model.has_heads())
    write_heads(model, file, group);
  else
    write_layer(model, file, group);
  write_head(model.layer, file, group, shares_head);
}

ParallelSpecModel read_parallelspec(const ArtifactFile& file, const model::Model& target,
                                    Flavour flavour) {
  const bool pairs = ParallelSpecModel::reads_pairs(flavour);
  const std::string group = parallelspec_group(flavour);
  const int width = target.config.width;
  ParallelSpecModel model;
  model.flavour = flavour;
  model.layer = model.has_heads() ? read_head_alone(file, target, group)
                                  : read_layer(file, target, group, pairs);
  model.layer.name = fmt::format("{} of {}", draft::method_of(flavour), target.name);
  const ParallelSpecReader reader(file, group);
  const bool one_by_one = model.drafts_one_by_one();
  const int masks = reader.whole("/masks", one_by_one ? 0 : 1, one_by_one ? 0 : kMostMasks);
  model.token_inputs = reader.whole("/token_inputs", pairs ? 1 : 0, model.has_heads() ? 0 : 1) == 1;
  if (has_masks(flavour)) model.mask_embeddings = reader.masks("/mask_embeddings", masks, width);
  if (has_masks(flavour) && pairs)
    model.mask_features = reader.masks("/mask_features", masks, width);
  if (model.has_heads()) model.residual = read_residual(file, group, masks, width);
  model.best_length = reader.whole("/best_length", 0, model.most_drafts());
  return model;
}

void check_head_is_of(const model::Model& target, const ParallelSpecModel& drafter) {
  // Q4_1 rounds the most of the types that heads have, by some 7 % of a row's length.
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
