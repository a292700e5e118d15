#pragma once

#include <functional>
#include <optional>
#include <string>

namespace outrider::engine {

/// Reads a file; nothing where it cannot be read.
using ReadText = std::function<std::optional<std::string>(const std::string& path)>;

/// The CPUs' worth of time that the control groups of this process grant it, such as 2.5: the
/// minimum over its group and its ancestors, from cpu.max (cgroup v2) or cpu.cfs_quota_us (v1).
/// Nothing: no limit.
std::optional<double> granted_cpus(const ReadText& read);
/// The CPUs granted to this process, from the files of this system.
std::optional<double> granted_cpus();

}  // namespace outrider::engine
