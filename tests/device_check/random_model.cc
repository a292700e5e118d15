#include "tests/device_check/random_model.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/base/half.h"
#include "runtime/engine/machine.h"

namespace outrider::device_check {
namespace {

using model::Weight;
using model::WeightType;

/// splitmix64 of a counter, so that any part can be made at any time.
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t at) {
  std::uint64_t z = (seed << 40) + at * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

void write_half(std::byte* to, float number) {
  const Half half = float_to_half(number);
  std::memcpy(to, &half, sizeof half);
}

/// Gives a block of random quants scales with which its numbers lie between -range and range.
void set_scales(WeightType type, float range, std::byte* block) {
  switch (type) {
    case WeightType::kQ4_1:
      write_half(block, range / 8);
      return write_half(block + 2, -range * 15 / 16);
    case WeightType::kQ5_0:
      return write_half(block, range / 16);
    case WeightType::kQ8_0:
      return write_half(block, range / 128);
    case WeightType::kQ4_K:
      write_half(block, range / 8 / 63);
      return write_half(block + 2, range / 63);
    case WeightType::kQ6_K:
      return write_half(block + 208, range / 32 / 127);
    default:
      throw std::logic_error("a random model: no such matrices");
  }
}

class Maker {
 public:
  Maker(model::Model& model, std::uint64_t seed) : model_(model), seed_(seed) {}

  Weight matrix(WeightType type, std::int64_t rows, std::int64_t columns) {
    const model::BlockShape block = model::block_shape(type);
    const auto blocks = static_cast<std::size_t>(rows * columns / block.numbers);
    const auto block_bytes = static_cast<std::size_t>(block.bytes);
    std::vector<std::byte> bytes(blocks * block_bytes);
    const std::uint64_t seed = ++seed_;
    const float range = std::sqrt(3.0f / static_cast<float>(columns));  // variance 1 / columns
    const auto fill = [&](std::size_t begin, std::size_t end) {
      for (std::size_t b = begin; b < end; ++b) {
        std::byte* const to = bytes.data() + b * block_bytes;
        for (std::size_t i = 0; i < block_bytes; i += 8) {
          const std::uint64_t bits = random_bits(seed, b * block_bytes + i);
          std::memcpy(to + i, &bits, std::min<std::size_t>(8, block_bytes - i));
        }
        set_scales(type, range, to);
      }
    };
    const auto threads = static_cast<std::size_t>(engine::default_threads());
    std::vector<std::jthread> team;
    for (std::size_t t = 0; t < threads; ++t)
      team.emplace_back(fill, blocks * t / threads, blocks * (t + 1) / threads);
    team.clear();
    return weight(type, rows, columns, std::move(bytes));
  }

  Weight norm(int width) {
    std::vector<float> numbers;
    const std::uint64_t seed = ++seed_;
    for (int i = 0; i < width; ++i) {
      const auto bits = static_cast<int>(random_bits(seed, static_cast<std::uint64_t>(i)) >> 40);
      numbers.push_back(0.75f + 0x1p-25f * static_cast<float>(bits));
    }
    std::vector<std::byte> bytes(numbers.size() * sizeof(float));
    std::memcpy(bytes.data(), numbers.data(), bytes.size());
    return weight(WeightType::kF32, 1, width, std::move(bytes));
  }

 private:
  Weight weight(WeightType type, std::int64_t rows, std::int64_t columns,
                std::vector<std::byte> bytes) {
    Weight made;
    made.name = "random";
    made.type = type;
    made.rows = rows;
    made.columns = columns;
    made.bytes = model_.keep(std::move(bytes));
    return made;
  }

  model::Model& model_;
  std::uint64_t seed_;
};

/// Which layers llama.cpp gives more bits to.
bool is_better(int layer, int layers) {
  return layer < layers / 8 || layer >= 7 * layers / 8 || (layer - layers / 8) % 3 == 2;
}

}  // namespace

ModelShape shape_of_135m() {
  return {.name = "135M Q4_1",
          .layers = 30,
          .width = 576,
          .heads = 9,
          .kv_heads = 3,
          .head_width = 64,
          .ffn_width = 1536,
          .vocab = 49152,
          .matrices = WeightType::kQ4_1,
          .better_half = WeightType::kQ4_1,
          .head = WeightType::kQ8_0};
}

ModelShape shape_of_05b() {
  return {.name = "0.5B Q5_0",
          .layers = 24,
          .width = 896,
          .heads = 14,
          .kv_heads = 2,
          .head_width = 64,
          .ffn_width = 4864,
          .vocab = 151936,
          .matrices = WeightType::kQ5_0,
          .better_half = WeightType::kQ8_0,
          .head = WeightType::kQ8_0};
}

ModelShape shape_of_8b() {
  return {.name = "8B Q4_K_M",
          .layers = 32,
          .width = 4096,
          .heads = 32,
          .kv_heads = 8,
          .head_width = 128,
          .ffn_width = 14336,
          .vocab = 128256,
          .matrices = WeightType::kQ4_K,
          .better_half = WeightType::kQ6_K,
          .head = WeightType::kQ6_K,
          .layers_alike = true};
}

ModelShape tiny_shape() {
  return {.name = "tiny Q4_K_M",
          .layers = 2,
          .width = 256,
          .heads = 4,
          .kv_heads = 2,
          .head_width = 64,
          .ffn_width = 256,
          .vocab = 320,
          .matrices = WeightType::kQ4_K,
          .better_half = WeightType::kQ6_K,
          .head = WeightType::kQ6_K,
          .layers_alike = true};
}

model::Model random_model(const ModelShape& shape, std::uint64_t seed) {
  model::Model model;
  model.name = shape.name;
  model.path = shape.name;
  model::ModelConfig& config = model.config;
  config.architecture = "llama";
  config.layers = shape.layers;
  config.width = shape.width;
  config.heads = shape.heads;
  config.kv_heads = shape.kv_heads;
  config.head_width = shape.head_width;
  config.ffn_width = shape.ffn_width;
  config.vocab = shape.vocab;
  config.context = 8192;
  config.rope_base = 10000;
  config.rotary_width = shape.head_width;
  config.norm_epsilon = 1e-5f;

  Maker maker(model, seed);
  const int queries = shape.heads * shape.head_width, keys = shape.kv_heads * shape.head_width;
  const auto make_layer = [&](bool better) {
    const WeightType usual = shape.matrices, best = better ? shape.better_half : usual;
    model::LayerWeights layer;
    layer.attn_norm = maker.norm(shape.width);
    layer.q = maker.matrix(usual, queries, shape.width);
    layer.k = maker.matrix(usual, keys, shape.width);
    layer.v = maker.matrix(best, keys, shape.width);
    layer.o = maker.matrix(usual, shape.width, queries);
    layer.ffn_norm = maker.norm(shape.width);
    layer.gate = maker.matrix(usual, shape.ffn_width, shape.width);
    layer.up = maker.matrix(usual, shape.ffn_width, shape.width);
    layer.down = maker.matrix(best, shape.width, shape.ffn_width);
    return layer;
  };
  int first_of_kind[2] = {-1, -1};
  for (int l = 0; l < shape.layers; ++l) {
    const bool better = is_better(l, shape.layers);
    int& first = first_of_kind[better ? 1 : 0];
    if (shape.layers_alike && first >= 0) {
      model.layers.push_back(model.layers[static_cast<std::size_t>(first)]);
      continue;
    }
    if (first < 0) first = l;
    model.layers.push_back(make_layer(better));
  }
  model.head = maker.matrix(shape.head, shape.vocab, shape.width);
  model.embedding = model.head;
  model.tied = true;
  model.final_norm = maker.norm(shape.width);
  return model;
}

}  // namespace outrider::device_check
