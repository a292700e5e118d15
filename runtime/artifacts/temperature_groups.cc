#include "runtime/artifacts/temperature_groups.h"

#include <fmt/core.h>

namespace outrider::artifacts {

std::string temperature_group(const std::string& group, std::size_t number) {
  return fmt::format("{}/temperatures/{}", group, number);
}

std::vector<std::string> temperature_groups(const hdf5::Reader& file, const std::string& group) {
  constexpr std::size_t kMostGroups = 64;
  std::vector<std::string> groups;
  double last = 0;
  while (file.is_group(temperature_group(group, groups.size()))) {
    groups.push_back(temperature_group(group, groups.size()));
    if (groups.size() > kMostGroups)
      file.refuse(group + "/temperatures", fmt::format("expected at most {}", kMostGroups));
    const std::string path = groups.back() + "/temperature";
    const double temperature = file.read_number<double>(path);
    if (groups.size() > 1 && !(temperature > last))
      file.refuse(path, fmt::format("expected temperatures in ascending order, found {} after {}",
                                    temperature, last));
    last = temperature;
  }
  if (groups.empty()) file.refuse(group + "/temperatures", "expected one temperature at least");
  return groups;
}

}  // namespace outrider::artifacts
