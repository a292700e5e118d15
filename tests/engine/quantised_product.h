#pragma once

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "runtime/base/aligned_buffer.h"
#include "runtime/engine/cpu/kernels.h"
#include "runtime/engine/cpu/packed_matrix.h"
#include "runtime/engine/thread_team.h"

namespace outrider::engine::cpu::plain {

constexpr int kOutputs = 48;

/// Where the halves of a block of a file lie.
inline std::vector<std::size_t> halves_of(model::WeightType type) {
  switch (type) {
    case model::WeightType::kQ4_1:
    case model::WeightType::kQ5_1:
    case model::WeightType::kQ4_K:
    case model::WeightType::kQ5_K:
      return {0, 2};
    case model::WeightType::kQ6_K:
      return {208};
    case model::WeightType::kQ2_K:
      return {80, 82};
    case model::WeightType::kQ3_K:
      return {108};
    case model::WeightType::kMXFP4:
      return {};
    default:
      return {0};
  }
}

/// A packed matrix of kOutputs outputs whose blocks are made by `quant()`, bytes, and `scale()`.
struct TestMatrix {
  std::vector<std::byte> bytes;
  model::Weight weight;
  PackedMatrix packed;
  AlignedBuffer<std::uint8_t> storage;

  template <typename Quant, typename Scale>
  TestMatrix(model::WeightType type, int inputs, Quant quant, Scale scale)
      : packed(own_packing(type), kOutputs, inputs), storage(packed.bytes()) {
    const std::size_t block = static_cast<std::size_t>(model::block_shape(type).bytes);
    const std::size_t count =
        static_cast<std::size_t>(kOutputs * inputs / model::block_shape(type).numbers);
    bytes.resize(count * block);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(quant());
    for (std::size_t i = 0; i < count; ++i) {
      for (const std::size_t at : halves_of(type)) {
        const Half half = float_to_half(scale());
        std::memcpy(bytes.data() + i * block + at, &half, 2);
      }
      // An exponent: of the scale, and of all around 1.
      if (type == model::WeightType::kMXFP4)
        bytes[i * block] = static_cast<std::byte>(96 + std::to_integer<int>(bytes[i * block]) % 64);
    }
    weight = {.name = "w",
              .type = type,
              .rows = kOutputs,
              .columns = inputs,
              .bytes = bytes,
              .row_order = {}};
    packed.place(storage.data());
    for (int p = 0; p < packed.panels(); ++p) packed.fill_panel(p, weight);
  }
  TestMatrix(const TestMatrix&) = delete;
  TestMatrix& operator=(const TestMatrix&) = delete;
};

inline TestMatrix random_matrix(model::WeightType type, int inputs, std::mt19937& random) {
  return {type, inputs, [&] { return static_cast<int>(random() & 255); },
          [&] { return static_cast<float>(static_cast<int>(random() % 2001) - 1000) * 1e-4f; }};
}

/// Quantised rows, one after the other.
struct TestRows {
  int inputs;
  std::vector<std::int8_t> quants;
  std::vector<BlockScale> scales;

  TestRows(int rows_inputs, std::vector<std::int8_t> rows_quants, float scale)
      : inputs(rows_inputs), quants(std::move(rows_quants)) {
    for (std::size_t i = 0; i < quants.size(); i += 32) {
      std::int32_t sums[2] = {0, 0};
      for (std::size_t j = 0; j < 32; ++j) sums[j / 16] += quants[i + j];
      scales.push_back(block_scale(scale, sums[0], sums[1]));
    }
  }
};

inline TestRows random_rows(int rows, int inputs, float scale, std::mt19937& random) {
  std::vector<std::int8_t> quants(static_cast<std::size_t>(rows * inputs));
  for (std::int8_t& q : quants)
    q = static_cast<std::int8_t>(static_cast<int>(random() % 255) - 127);
  return {inputs, std::move(quants), scale};
}

/// 0.5 + the products of `rows` rows from `first` on, where an output is in one of the panels, 0.5
/// elsewhere: [rows, kOutputs].
inline std::vector<float> product(const Kernels& kernels, const PackedMatrix& matrix,
                                  const TestRows& x, int first, int rows, Share panels) {
  const std::size_t blocks = static_cast<std::size_t>(matrix.inputs()) / 32;
  const std::size_t stride = static_cast<std::size_t>(rows) + 2;
  std::vector<std::int8_t> quants_by_block(blocks * stride * 32);
  std::vector<BlockScale> scales_by_block(blocks * stride);
  for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r) {
    for (std::size_t b = 0; b < blocks; ++b) {
      const std::size_t source = (static_cast<std::size_t>(first) + r) * blocks + b;
      std::copy_n(x.quants.data() + source * 32, 32,
                  quants_by_block.data() + (b * stride + r) * 32);
      scales_by_block[b * stride + r] = x.scales[source];
    }
  }
  std::vector<float> out(static_cast<std::size_t>(rows * kOutputs), 0.5f);
  kernels.product(matrix.packing(), {.panels = matrix.data(),
                                     .inputs = matrix.inputs(),
                                     .first_panel = panels.begin,
                                     .last_panel = panels.end,
                                     .rows = rows,
                                     .x = nullptr,
                                     .quants = quants_by_block.data(),
                                     .scales = scales_by_block.data(),
                                     .activation_stride = static_cast<int>(stride),
                                     .out = out.data(),
                                     .out_stride = kOutputs,
                                     .accumulate = true});
  return out;
}

/// Of all panels.
inline std::vector<float> product(const Kernels& kernels, const PackedMatrix& matrix,
                                  const TestRows& x, int first, int rows) {
  return product(kernels, matrix, x, first, rows, {0, matrix.panels()});
}

/// What the scalar kernel, the specification, makes of each row by itself.
inline std::vector<float> product_one_by_one(const PackedMatrix& matrix, const TestRows& x,
                                             int rows) {
  std::vector<float> all;
  for (int r = 0; r < rows; ++r) {
    const auto row = product(scalar::kKernels, matrix, x, r, 1);
    all.insert(all.end(), row.begin(), row.end());
  }
  return all;
}

}  // namespace outrider::engine::cpu::plain
