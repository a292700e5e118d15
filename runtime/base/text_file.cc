#include "runtime/base/text_file.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "runtime/base/error.h"

namespace outrider {

std::string read_text_file(const std::filesystem::path& path, std::size_t max_bytes) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  const auto fail = [&path] {
    return InputError(fmt::format("{}: {}", path.string(), std::strerror(errno)));
  };
  if (!file) throw fail();

  std::string text;
  char buffer[1 << 14];
  while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, file.get())) {
    text.append(buffer, count);
    if (text.size() > max_bytes) {
      throw InputError(
          fmt::format("{}: expected at most {} bytes, found more", path.string(), max_bytes));
    }
  }
  if (std::ferror(file.get()) != 0) throw fail();
  return text;
}

}  // namespace outrider
