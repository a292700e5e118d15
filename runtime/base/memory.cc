#include "runtime/base/memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

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

}  // namespace outrider
