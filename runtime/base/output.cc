#include "runtime/base/output.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "runtime/base/error.h"

namespace outrider {

void write_output(std::string_view text) {
  errno = 0;
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return;
  if (errno == EPIPE) throw ClosedPipe();
  throw InputError(fmt::format("cannot write to standard output: {}", std::strerror(errno)));
}

}  // namespace outrider
