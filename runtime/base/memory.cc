#include "runtime/base/memory.h"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace outrider {

std::int64_t peak_rss_bytes() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{usage.ru_maxrss} * 1024;  // Linux counts in KiB
}

std::int64_t rss_bytes() {
  std::ifstream statm("/proc/self/statm");  // in pages: address space, resident, ...
  std::int64_t size = 0, present = 0;
  statm >> size >> present;
  return present * ::sysconf(_SC_PAGE_SIZE);
}

std::int64_t physical_memory_bytes() {
  return static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGE_SIZE);
}

std::int64_t available_bytes() {
  std::ifstream memory("/proc/meminfo");
  std::int64_t available = 0;
  std::string name, unit;
  for (std::int64_t amount = 0; memory >> name >> amount;) {
    if (name == "MemAvailable:") available = amount * 1024;
    std::getline(memory, unit);
  }
  // A container may have less than its machine.
  std::ifstream most("/sys/fs/cgroup/memory.max"), used("/sys/fs/cgroup/memory.current");
  std::int64_t limit = 0, current = 0;
  if (most >> limit && used >> current)  // "max": no limit
    available = std::min(available, std::max<std::int64_t>(limit - current, 0));
  return available;
}

void return_large_blocks(int from) { ::mallopt(M_MMAP_THRESHOLD, from); }

}  // namespace outrider
