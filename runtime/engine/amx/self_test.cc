#include <cstring>
#include <random>
#include <vector>

#include "runtime/engine/aligned_buffer.h"
#include "runtime/engine/amx/support.h"

namespace outrider::engine::amx {
namespace {

constexpr int kInputs = 256;  // one block of each kind
constexpr int kPanels = 2;
constexpr int kRows = 21;  // two tiles
constexpr std::size_t kBlocks = kInputs / 32;
constexpr std::size_t kOutputs = std::size_t{16} * kPanels;

/// Random panels whose scales and minimums are finite.
AlignedBuffer<std::uint8_t> random_panels(Packing packing, std::mt19937& random) {
  AlignedBuffer<std::uint8_t> panels(kPanels * panel_bytes(packing, kInputs));
  for (std::size_t i = 0; i < panels.size(); ++i)
    panels[i] = static_cast<std::uint8_t>(random() & 255);
  visit_layout(packing, [&](auto layout) {
    const bool minimums =
        layout.kForm == ScaleForm::kHalfAndMin || layout.kForm == ScaleForm::kSuperAndMin;
    for (std::size_t group = 0; group < panels.size(); group += layout.kGroupBytes)
      for (std::size_t i = 1; i < (minimums ? 64 : 32); i += 2) panels[group + i] &= 0xbb;
  });
  return panels;
}

struct Activations {
  std::vector<std::int8_t> quants;  // [kBlocks, kRows, 32]
  std::vector<BlockScale> scales;   // [kBlocks, kRows]

  explicit Activations(std::mt19937& random) : quants(kBlocks * kRows * 32) {
    for (std::int8_t& q : quants)
      q = static_cast<std::int8_t>(static_cast<int>(random() % 255) - 127);
    for (std::size_t i = 0; i < quants.size(); i += 32) {
      std::int32_t sums[2] = {};
      for (std::size_t j = 0; j < 32; ++j) sums[j / 16] += quants[i + j];
      scales.push_back(block_scale(0.01f + static_cast<float>(i) * 1e-6f, sums[0], sums[1]));
    }
  }
};

std::vector<float> multiply(const Kernels& kernels, Packing packing, const std::uint8_t* panels,
                            const Activations& x, int rows) {
  std::vector<float> out(kRows * kOutputs);
  kernels.product(packing, {.panels = panels,
                            .inputs = kInputs,
                            .first_panel = 0,
                            .last_panel = kPanels,
                            .rows = rows,
                            .x = nullptr,
                            .quants = x.quants.data(),
                            .scales = x.scales.data(),
                            .activation_stride = kRows,
                            .out = out.data(),
                            .out_stride = kOutputs,
                            .accumulate = false});
  return out;
}

}  // namespace

bool make_same_products(const Kernels& kernels, const Kernels& others) {
  std::mt19937 random(1);
  const Activations x(random);
  for (int p = 0; p < kNumPackings; ++p) {
    const Packing packing = static_cast<Packing>(p);
    if (is_float(packing)) continue;
    const auto panels = random_panels(packing, random);
    for (const int rows : {6, kRows}) {
      const auto some = multiply(kernels, packing, panels.data(), x, rows);
      const auto same = multiply(others, packing, panels.data(), x, rows);
      if (std::memcmp(some.data(), same.data(), some.size() * sizeof(float)) != 0) return false;
    }
  }
  return true;
}

}  // namespace outrider::engine::amx
