#include "runtime/base/output.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "runtime/base/descriptors.h"
#include "runtime/base/error.h"

namespace outrider {

void check_reader(int error, int descriptor) {
  if (error == EPIPE && is_standard_output(descriptor)) throw ClosedPipe();
}

void write_output(std::string_view text) {
  const int error = write_whole(STDOUT_FILENO, text);
  if (error == 0) return;
  check_reader(error, STDOUT_FILENO);
  throw InputError(fmt::format("cannot write to standard output: {}", std::strerror(error)));
}

}  // namespace outrider
