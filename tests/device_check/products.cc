#include <fmt/core.h>

#include <algorithm>
#include <random>

#include "runtime/engine/cuda/pass_buffers.h"
#include "tests/device_check/check.h"

namespace outrider::device_check {
namespace {

using engine::cpu::Packing;

struct Product {
  const char* name;
  Packing packing;
  int inputs;
  int outputs;
};

const std::vector<Product> kProducts = {
    {"8B q, k, v", Packing::kU4Super, 4096, 6144},   {"8B o", Packing::kU4Super, 4096, 4096},
    {"8B gate, up", Packing::kU4Super, 4096, 28672}, {"8B down", Packing::kU4Super, 14336, 4096},
    {"8B down", Packing::kU6Super, 14336, 4096},     {"8B v", Packing::kU6Super, 4096, 1024},
    {"8B head", Packing::kU6Super, 4096, 128256},    {"135M q, k, v", Packing::kU4Min, 576, 960},
    {"135M o", Packing::kU4Min, 576, 576},           {"135M gate, up", Packing::kU4Min, 576, 3072},
    {"135M down", Packing::kU4Min, 1536, 576},       {"135M head", Packing::kU8, 576, 49152},
};
const std::vector<Product> kTinyProducts = {
    {"tiny", Packing::kU4Super, 256, 48},
    {"tiny", Packing::kU6Super, 256, 32},
    {"tiny", Packing::kU4Min, 64, 32},
    {"tiny", Packing::kU8, 96, 16},
};

/// Larger than the caches of all devices, several times over.
constexpr std::size_t kRotated = std::size_t{256} << 20;

/// Memory of random bytes with which every half and float that a kernel may take them for is an ordinary one.
cuda::DeviceBuffer<std::uint8_t> random_memory(cuda::Device& device, std::size_t bytes) {
  std::vector<std::uint8_t> some(std::min(bytes, std::size_t{16} << 20));
  std::minstd_rand random(1);
  for (std::uint8_t& byte : some) byte = static_cast<std::uint8_t>(random() % 0x3c);
  cuda::DeviceBuffer<std::uint8_t> memory(device, bytes);
  for (std::size_t at = 0; at < bytes; at += some.size())
    memory.copy_to({some.data(), std::min(some.size(), bytes - at)}, at);
  device.synchronise();
  return memory;
}

}  // namespace

void measure_products(Check& check) {
  const bool tiny = check.settings.tiny;
  cuda::Device& device = *check.gpu->device;
  const auto& products = tiny ? kTinyProducts : kProducts;
  const std::vector<int> rows_of =
      tiny ? std::vector<int>{1, 9, 33} : std::vector<int>{1, 2, 4, 8, 16, 32, 64, 512};
  const int most_rows = cuda::PassBuffers::stride_for(rows_of.back());
  int most_inputs = 0, most_outputs = 0;
  std::size_t most_bytes = 0;
  for (const Product& p : products) {
    most_inputs = std::max(most_inputs, p.inputs);
    most_outputs = std::max(most_outputs, p.outputs);
    const std::size_t bytes =
        engine::cpu::panel_bytes(p.packing, p.inputs) * static_cast<std::size_t>(p.outputs / 16);
    most_bytes = std::max(most_bytes, bytes);
  }
  const auto size = [](int a, int b) {
    return static_cast<std::size_t>(a) * static_cast<std::size_t>(b);
  };
  const std::size_t memory = tiny ? 4 * most_bytes : 2 * std::max(kRotated, most_bytes);
  const auto weights = random_memory(device, memory);
  const std::size_t blocks = size(most_rows, (most_inputs / 32 + 1) / 2 * 2);
  const auto quants = random_memory(device, blocks * 32);
  const auto scales = random_memory(device, blocks * sizeof(cuda::BlockScales));
  const auto sums = random_memory(device, blocks * sizeof(cuda::BlockSums));
  cuda::DeviceBuffer<float> out(device, size(most_rows, most_outputs));

  const Effort effort = check.effort(0.1, static_cast<int>(products.size() * rows_of.size()));
  Json& found = check.found["products"];
  Check::say("products, in % of the copy bandwidth by rows (512: TOPS):");
  for (const Product& p : products) {
    const std::size_t bytes =
        engine::cpu::panel_bytes(p.packing, p.inputs) * static_cast<std::size_t>(p.outputs / 16);
    // In a whole number of 256 bytes, as an engine's matrices lie.
    const std::size_t step = (bytes + 255) / 256 * 256;
    const int copies = std::max(
        1, static_cast<int>(std::min(memory, tiny ? memory : std::max(kRotated, bytes)) / step));
    const int launches = tiny ? 2 : std::max(copies, 8);
    std::string line =
        fmt::format("  {:<14}{} {:>5}x{:<6}", p.name, packing_name(p.packing), p.inputs, p.outputs);
    for (const int rows : rows_of) {
      const cuda::QuantisedRows x{reinterpret_cast<std::int8_t*>(quants.data()),
                                  reinterpret_cast<cuda::BlockScales*>(scales.data()),
                                  reinterpret_cast<cuda::BlockSums*>(sums.data()),
                                  cuda::PassBuffers::stride_for(rows)};
      const double seconds =
          replayed_seconds(
              device, effort,
              [&] {
                for (int i = 0; i < launches; ++i)
                  check.gpu->kernels->product(
                      p.packing,
                      {.matrices = {{.panels = weights.data() +
                                               static_cast<std::size_t>(i % copies) * step,
                                     .num_panels = p.outputs / 16,
                                     .out = out.data(),
                                     .bias = nullptr}},
                       .count = 1,
                       .inputs = p.inputs,
                       .rows = rows,
                       .x = {nullptr, x},
                       .out_stride = p.outputs,
                       .accumulate = false},
                      true);
              }) /
          launches;
      const double bytes_per_second = static_cast<double>(bytes) / seconds;
      const double tops = 2.0 * p.inputs * static_cast<double>(p.outputs) * rows / seconds / 1e12;
      found.push_back({{"what", p.name},
                       {"weights", packing_name(p.packing)},
                       {"inputs", p.inputs},
                       {"outputs", p.outputs},
                       {"rows", rows},
                       {"us", seconds * 1e6},
                       {"gb_s", bytes_per_second / 1e9},
                       {"share_of_copy", check.share_of_copy(bytes_per_second)},
                       {"tops", tops}});
      if (rows >= 512) {
        line += fmt::format("  512: {:.0f} TOPS", tops);
      } else {
        line += check.copy_bytes_per_second > 0
                    ? fmt::format("  {}: {}", rows, check.percent(bytes_per_second))
                    : fmt::format("  {}: {:.0f} GB/s", rows, bytes_per_second / 1e9);
      }
      if (rows == 1) line += fmt::format(" ({:.1f} us)", seconds * 1e6);
    }
    Check::say(line);
  }
}

}  // namespace outrider::device_check
