#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "runtime/base/aligned_buffer.h"
#include "runtime/engine/cpu/amx/products.h"
#include "runtime/engine/cpu/amx/support.h"

namespace outrider::engine::cpu::amx {
namespace {

constexpr int kInputs = 512;  // two chunks of blocks, so that sums are carried over
constexpr int kPanels = 2;
constexpr std::size_t kBlocks = kInputs / 32;
constexpr std::size_t kOutputs = std::size_t{16} * kPanels;

/// Row counts that exercise the fewest rows, the highest tile, the two lowest, several tiles, and more than
/// share unpacked weights.
constexpr int kRows[] = {kFewestRows, 16, 17, 64, 147};
constexpr int kMostRows = 147;

/// Random panels with finite scales and minimums.
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
  std::vector<std::int8_t> quants;  // [kBlocks, kMostRows, 32]
  std::vector<BlockScale> scales;   // [kBlocks, kMostRows]

  explicit Activations(std::mt19937& random) : quants(kBlocks * kMostRows * 32) {
    for (std::int8_t& q : quants)
      q = static_cast<std::int8_t>(static_cast<int>(random() % 255) - 127);
    for (std::size_t i = 0; i < quants.size(); i += 32) {
      std::int32_t sums[2] = {};
      for (std::size_t j = 0; j < 32; ++j) sums[j / 16] += quants[i + j];
      scales.push_back(block_scale(0.01f + static_cast<float>(i) * 1e-6f, sums[0], sums[1]));
    }
  }
};

/// The products for each number of rows, both added to existing sums and overwriting them: [..,
/// kOutputs].
std::vector<float> multiply(const Kernels& kernels, Packing packing, const std::uint8_t* panels,
                            const Activations& x) {
  std::vector<float> all;
  for (const int rows : kRows) {
    for (const bool accumulate : {true, false}) {
      std::vector<float> out(static_cast<std::size_t>(rows) * kOutputs, 0.5f);
      kernels.product(packing, {.panels = panels,
                                .inputs = kInputs,
                                .first_panel = 0,
                                .last_panel = kPanels,
                                .rows = rows,
                                .x = nullptr,
                                .quants = x.quants.data(),
                                .scales = x.scales.data(),
                                .activation_stride = kMostRows,
                                .out = out.data(),
                                .out_stride = kOutputs,
                                .accumulate = accumulate});
      all.insert(all.end(), out.begin(), out.end());
    }
  }
  return all;
}

bool same(const std::vector<float>& a, const std::vector<float>& b) {
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

}  // namespace

bool make_same_products(const Kernels& kernels, const Kernels& others) {
  std::mt19937 random(1);
  const Activations x(random);
  for (int p = 0; p < kNumPackings; ++p) {
    const Packing packing = static_cast<Packing>(p);
    if (is_float(packing)) continue;
    const auto panels = random_panels(packing, random);
    const std::vector<float> expected = multiply(others, packing, panels.data(), x);
    if (!same(multiply(kernels, packing, panels.data(), x), expected)) return false;
    // The operating system enables tiles for each thread separately.
    std::vector<float> elsewhere;
    std::thread([&] { elsewhere = multiply(kernels, packing, panels.data(), x); }).join();
    if (!same(elsewhere, expected)) return false;
  }
  return true;
}

}  // namespace outrider::engine::cpu::amx
