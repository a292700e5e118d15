#include "runtime/engine/granted_cpus.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <vector>

#include "runtime/base/numbers.h"

namespace outrider::engine {
namespace {

const std::string kRoot = "/sys/fs/cgroup";

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

/// The words of a small file.
std::vector<std::string> words_of(const ReadText& read, const std::string& path) {
  std::istringstream stream(read(path).value_or(""));
  return {std::istream_iterator<std::string>(stream), {}};
}

/// Microseconds of CPU time per period; "max" and -1 mean no limit.
std::optional<double> quotient(const std::string& quota, const std::string& period) {
  const auto granted = parse_integer(quota);
  const auto of = parse_integer(period);
  if (!granted || !of || *granted <= 0 || *of <= 0) return std::nullopt;
  return static_cast<double>(*granted) / static_cast<double>(*of);
}

std::optional<double> limit_v2(const ReadText& read, const std::string& group) {
  const auto words = words_of(read, group + "/cpu.max");
  return words.size() == 2 ? quotient(words[0], words[1]) : std::nullopt;
}

std::optional<double> limit_v1(const ReadText& read, const std::string& group) {
  const auto quota = words_of(read, group + "/cpu.cfs_quota_us");
  const auto period = words_of(read, group + "/cpu.cfs_period_us");
  return quota.size() == 1 && period.size() == 1 ? quotient(quota[0], period[0]) : std::nullopt;
}

}  // namespace

std::optional<double> granted_cpus(const ReadText& read) {
  std::optional<double> least;
  // In a container the group's path may be that of the host, of which only the lower part is
  // visible: an unreadable file sets no limit, and the walk up ends at the group that the container
  // sees as its root.
  const auto walk_up = [&](const std::string& mount, std::string path, const auto& limit) {
    while (!path.empty() && path.back() == '/') path.pop_back();
    for (;;) {
      if (const auto found = limit(read, mount + path))
        least = std::min(*found, least.value_or(*found));
      if (path.empty()) return;
      path.erase(path.rfind('/'));
    }
  };
  // hierarchy:controllers:path
  for (const std::string& line : split(read("/proc/self/cgroup").value_or(""), '\n')) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos || line.substr(second + 1, 1) != "/") continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    if (controllers.empty()) {
      walk_up(kRoot, path, limit_v2);
      walk_up(kRoot + "/unified", path, limit_v2);
      continue;
    }
    const std::vector<std::string> names = split(controllers, ',');
    if (std::find(names.begin(), names.end(), "cpu") == names.end()) continue;
    walk_up(kRoot + "/cpu", path, limit_v1);
    if (names.size() > 1) walk_up(kRoot + "/" + controllers, path, limit_v1);
  }
  return least;
}

std::optional<double> granted_cpus() {
  return granted_cpus([](const std::string& path) -> std::optional<std::string> {
    std::ifstream file(path);
    if (!file) return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(file), {});
  });
}

}  // namespace outrider::engine
