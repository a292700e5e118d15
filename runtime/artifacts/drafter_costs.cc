#include "runtime/artifacts/drafter_costs.h"

#include <cmath>

namespace outrider::artifacts {
namespace {

std::vector<double> read_seconds(const hdf5::Reader& file, const std::string& path,
                                 std::size_t contexts) {
  auto seconds = file.read<double>(path, {contexts});
  for (const double one : seconds)
    if (!(one >= 0) || std::isinf(one)) file.refuse(path, "holds no time");
  return seconds;
}

}  // namespace

void write_drafter_costs(const DrafterCosts& costs, hdf5::Writer& file, const std::string& group) {
  const hdf5::Dims dims = {costs.contexts.size()};
  file.add<std::int32_t>(group + "/context", dims, costs.contexts, hdf5::Packing::kPlain);
  for (const DrafterCosts::Drafter& one : costs.drafters) {
    const std::string seconds = group + "/" + one.name + "/seconds";
    file.add<double>(seconds, dims, one.seconds, hdf5::Packing::kPlain);
    file.add<double>(seconds + "_low", dims, one.low, hdf5::Packing::kPlain);
    file.add<double>(seconds + "_high", dims, one.high, hdf5::Packing::kPlain);
  }
}

DrafterCosts read_drafter_costs(const hdf5::Reader& file, const std::string& group) {
  DrafterCosts costs;
  costs.contexts = file.read<std::int32_t>(group + "/context", {hdf5::Reader::kAny});
  const std::size_t contexts = costs.contexts.size();
  for (const std::string& name : file.names(group)) {
    if (!file.is_group(group + "/" + name)) continue;
    const std::string seconds = group + "/" + name + "/seconds";
    costs.drafters.push_back({name, read_seconds(file, seconds, contexts),
                              read_seconds(file, seconds + "_low", contexts),
                              read_seconds(file, seconds + "_high", contexts)});
  }
  return costs;
}

}  // namespace outrider::artifacts
