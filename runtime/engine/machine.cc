#include "runtime/engine/machine.h"

#include <fmt/core.h>
#include <sched.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

#include "runtime/engine/granted_cpus.h"

namespace outrider::engine {

std::string machine_name() {
  std::ifstream file("/proc/cpuinfo");
  std::map<std::string, std::string> fields;  // of the first processor
  for (std::string line; std::getline(file, line) && !line.empty();) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string key = line.substr(0, line.find_last_not_of(" \t", colon - 1) + 1);
    fields[key] = colon + 2 <= line.size() ? line.substr(colon + 2) : "";
  }
  return fmt::format("{}, family {} model {}, {} cores", fields["model name"], fields["cpu family"],
                     fields["model"], physical_cores());
}

int physical_cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
  std::set<std::string> cores;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed)) continue;
    std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(cpu) +
                       "/topology/thread_siblings_list");
    std::string siblings;
    // Without the file each processor counts as one core.
    if (!std::getline(file, siblings)) siblings = std::to_string(cpu);
    cores.insert(siblings);
  }
  return cores.empty() ? 1 : static_cast<int>(cores.size());
}

int default_threads() { return default_threads(physical_cores(), granted_cpus()); }

int default_threads(int cores, std::optional<double> granted) {
  return granted && *granted < cores ? std::max(1, static_cast<int>(*granted)) : cores;
}

}  // namespace outrider::engine
