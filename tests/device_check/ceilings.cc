#include <fmt/core.h>

#include "tests/device_check/check.h"

namespace outrider::device_check {

void measure_ceilings(Check& check) {
  const bool tiny = check.settings.tiny;
  cuda::Device& device = *check.gpu->device;
  Json& found = check.found["ceilings"];
  const Effort effort = check.effort(0.03, 5);

  const std::size_t bytes = tiny ? 1 << 16 : std::size_t{1} << 30;
  cuda::DeviceBuffer<std::uint8_t> from(device, bytes), to(device, bytes);
  from.fill(0x35);
  const int copies = tiny ? 1 : 8;
  const auto repeat = [&](int times, const auto& launch) {
    return replayed_seconds(device, effort,
                            [&] {
                              for (int i = 0; i < times; ++i) launch();
                            }) /
           times;
  };
  const double copy = repeat(copies, [&] { device.copy_within(to.data(), from.data(), bytes); });
  check.copy_bytes_per_second = 2 * static_cast<double>(bytes) / copy;
  cuda::DeviceBuffer<std::uint32_t> seen(device, 1);
  const double read =
      repeat(copies, [&] { check.ceilings->read(from.data(), bytes, seen.data()); });

  const int blocks = tiny ? 1 : 8 * device.multiprocessors(), rounds = tiny ? 2 : 8192;
  cuda::DeviceBuffer<int> sums(device, static_cast<std::size_t>(blocks));
  const double multiply = repeat(1, [&] { check.ceilings->multiply(blocks, rounds, sums.data()); });
  const double operations = 2.0 * 16 * 8 * 32 * CeilingKernels::kMultiplyChains *
                            CeilingKernels::kMultiplyWarps * static_cast<double>(rounds) * blocks;

  const int many = tiny ? 4 : 2000;
  const double empty = repeat(many, [&] { check.ceilings->empty(); });
  const double round_trip = repeat(1, [&] { check.ceilings->empty(); });
  const double direct = seconds_of(effort,
                                   [&] {
                                     for (int i = 0; i < many; ++i) check.ceilings->empty();
                                     device.synchronise();
                                   }) /
                        many;

  found["copy_gb_s"] = check.copy_bytes_per_second / 1e9;
  found["read_gb_s"] = static_cast<double>(bytes) / read / 1e9;
  found["imma_tops"] = operations / multiply / 1e12;
  found["empty_kernel_in_graph_us"] = empty * 1e6;
  found["empty_kernel_launched_us"] = direct * 1e6;
  found["graph_round_trip_us"] = round_trip * 1e6;
  Check::say(fmt::format(
      "ceilings: copy {:.0f} GB/s (read + written), read {:.0f} GB/s, IMMA {:.0f} TOPS; an empty "
      "kernel {:.2f} us in a graph, {:.2f} us launched; replay and wait {:.1f} us",
      check.copy_bytes_per_second / 1e9, static_cast<double>(bytes) / read / 1e9,
      operations / multiply / 1e12, empty * 1e6, direct * 1e6, round_trip * 1e6));
}

}  // namespace outrider::device_check
