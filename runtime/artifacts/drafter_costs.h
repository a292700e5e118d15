#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/hdf5/reader.h"
#include "runtime/hdf5/writer.h"

namespace outrider::artifacts {

/// Where they lie within the group of a machine's costs.
inline constexpr const char* kDrafterCosts = "/drafters";

/// What a step of each drafter takes on one machine, the pass of the target apart.
struct DrafterCosts {
  struct Drafter {
    std::string name;             // of the method
    std::vector<double> seconds;  // [contexts] medians
    std::vector<double> low;      // [contexts] a tenth of the steps took less
    std::vector<double> high;     // [contexts] a tenth of them took more
  };

  std::vector<std::int32_t> contexts;  // tokens of the text when the step begins
  std::vector<Drafter> drafters;
};

/// "context", and for each drafter "<name>/seconds", "<name>/seconds_low" and "<name>/seconds_high".
void write_drafter_costs(const DrafterCosts& costs, hdf5::Writer& file, const std::string& group);
/// In alphabetical order. @throws InputError for what is not such a group
DrafterCosts read_drafter_costs(const hdf5::Reader& file, const std::string& group);

}  // namespace outrider::artifacts
