#include "runtime/model/finite_weights.h"

#include <fmt/core.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/model/mapped_file.h"

namespace outrider::model {
namespace {

/// The floats of a block of weights: so many of a type, from an offset on. A float is finite unless all
/// bits of its exponent are set.
struct Floats {
  std::int64_t offset;  // in the block, in bytes
  int count;
  int bytes;               // of each
  std::uint32_t exponent;  // its bits
};

constexpr std::uint32_t kHalf = 0x7C00, kBfloat16 = 0x7F80, kFloat = 0x7F800000;

Floats floats_of(WeightType type) {
  switch (type) {
    case WeightType::kF32:
      return {0, 1, 4, kFloat};
    case WeightType::kF16:
      return {0, 1, 2, kHalf};
    case WeightType::kBF16:
      return {0, 1, 2, kBfloat16};
    case WeightType::kQ4_0:
    case WeightType::kQ5_0:
    case WeightType::kQ8_0:
      return {0, 1, 2, kHalf};
    case WeightType::kQ4_1:
    case WeightType::kQ5_1:
    case WeightType::kQ4_K:
    case WeightType::kQ5_K:
      return {0, 2, 2, kHalf};
    case WeightType::kQ6_K:
      return {208, 1, 2, kHalf};
    case WeightType::kQ2_K:
      return {80, 2, 2, kHalf};
    case WeightType::kQ3_K:
      return {108, 1, 2, kHalf};
    case WeightType::kIQ4_NL:
    case WeightType::kIQ4_XS:
      return {0, 1, 2, kHalf};
    case WeightType::kMXFP4:  // every exponent is one of a finite number
      break;
  }
  return {0, 0, 2, kHalf};
}

template <typename Bits>
bool all_finite(const std::byte* bytes, std::int64_t blocks, std::int64_t stride,
                const Floats& floats) {
  bool finite = true;
  for (std::int64_t b = 0; b < blocks; ++b) {
    for (int i = 0; i < floats.count; ++i) {
      Bits bits;
      std::memcpy(&bits, bytes + b * stride + floats.offset + i * floats.bytes, sizeof bits);
      finite &= (bits & floats.exponent) != floats.exponent;
    }
  }
  return finite;
}

void for_each_weight(const Model& model, const std::function<void(const Weight&)>& visit) {
  visit(model.embedding);
  if (!model.tied) visit(model.head);
  for (const Weight* weight : {&model.positions, &model.embedding_norm, &model.embedding_norm_bias,
                               &model.state_projection, &model.final_norm, &model.final_norm_bias})
    visit(*weight);
  for (const LayerWeights& layer : model.layers) {
    for (const Weight* weight : {&layer.attn_norm,
                                 &layer.attn_norm_bias,
                                 &layer.q,
                                 &layer.k,
                                 &layer.v,
                                 &layer.o,
                                 &layer.q_bias,
                                 &layer.k_bias,
                                 &layer.v_bias,
                                 &layer.o_bias,
                                 &layer.q_norm,
                                 &layer.k_norm,
                                 &layer.post_attn_norm,
                                 &layer.post_ffn_norm,
                                 &layer.ffn_norm,
                                 &layer.ffn_norm_bias,
                                 &layer.gate,
                                 &layer.up,
                                 &layer.down,
                                 &layer.up_bias,
                                 &layer.down_bias,
                                 &layer.sinks,
                                 &layer.router,
                                 &layer.router_bias})
      visit(*weight);
    for (const ExpertWeights& expert : layer.experts)
      for (const Weight* weight : {&expert.gate, &expert.up, &expert.down, &expert.gate_bias,
                                   &expert.up_bias, &expert.down_bias})
        visit(*weight);
  }
}

/// Bytes of its rows; 0: the model has no such weight.
std::int64_t size_of(const Weight& weight) {
  return weight.bytes.empty() ? 0 : weight.rows * weight.row_bytes();
}

/// The file that a weight is a view into.
std::string file_of(const Weight& weight, const Model& model) {
  const std::less_equal<> not_after;
  for (const auto& file : model.files) {
    const std::span<const std::byte> bytes = file->bytes();
    if (not_after(bytes.data(), weight.bytes.data()) &&
        not_after(weight.bytes.data(), bytes.data() + bytes.size()))
      return file->path().string();
  }
  return model.path.string();
}

}  // namespace

std::optional<std::int64_t> first_row_not_finite(const Weight& weight) {
  const BlockShape block = block_shape(weight.type);
  const Floats floats = floats_of(weight.type);
  const std::int64_t blocks = weight.columns / block.numbers;
  std::vector<std::byte> made;
  for (std::int64_t r = 0; r < weight.rows; ++r) {
    const std::byte* row = weight.row(r, made);
    const bool finite = floats.bytes == 4
                            ? all_finite<std::uint32_t>(row, blocks, block.bytes, floats)
                            : all_finite<std::uint16_t>(row, blocks, block.bytes, floats);
    if (!finite)
      return weight.row_order.empty() ? r : weight.row_order[static_cast<std::size_t>(r)];
  }
  return std::nullopt;
}

void check_finite(const Model& model,
                  const std::function<void(std::int64_t, std::int64_t)>& on_read) {
  constexpr std::int64_t kReadAtOnce = 64 << 20;  // bytes
  std::int64_t total = 0, read = 0, released = 0;
  for_each_weight(model, [&](const Weight& weight) { total += size_of(weight); });
  if (on_read) on_read(0, total);
  for_each_weight(model, [&](const Weight& weight) {
    if (size_of(weight) == 0) return;
    if (const auto row = first_row_not_finite(weight))
      throw InputError(
          fmt::format("{}: tensor '{}', row {}: holds a number that is NaN or infinite; the file "
                      "is damaged, or was converted wrongly",
                      file_of(weight, model), weight.name, *row));
    read += size_of(weight);
    if (read - released >= kReadAtOnce || read == total) {
      model.release_pages();
      released = read;
    }
    if (on_read) on_read(read, total);
  });
}

}  // namespace outrider::model
