#include "runtime/base/text_file.h"

#include <fcntl.h>
#include <fmt/core.h>

#include <cerrno>
#include <cstring>

#include "runtime/base/descriptors.h"
#include "runtime/base/error.h"
#include "runtime/base/owned_descriptor.h"

namespace outrider {

std::string read_text_file(const std::filesystem::path& path, std::size_t max_bytes) {
  if (names_standard_input(path)) return read_standard_input(max_bytes);
  const OwnedDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0)
    throw InputError(fmt::format("{}: {}", path.string(), std::strerror(errno)));
  return read_whole(file.number(), path.string(), max_bytes);
}

std::string input_name(const std::filesystem::path& path) {
  return names_standard_input(path) ? "standard input" : path.string();
}

}  // namespace outrider
