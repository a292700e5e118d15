#pragma once

#include <functional>
#include <optional>
#include <string>

namespace outrider::engine {

/// The text of a file; nothing where there is none to be read.
using ReadText = std::function<std::optional<std::string>(const std::string& path)>;

/// How many processors' time the control groups of this process grant it, such as 2.5: the least of its
/// own group and of those above, by cpu.max (cgroup v2) or cpu.cfs_quota_us (v1). Nothing: no limit.
std::optional<double> granted_cpus(const ReadText& read);
/// The same by the system's files.
std::optional<double> granted_cpus();

}  // namespace outrider::engine
