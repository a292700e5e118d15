#include "runtime/base/file_kind.h"

#include <system_error>

namespace outrider {

std::string file_kind(const std::filesystem::path& path) {
  using std::filesystem::file_type;
  std::error_code none;
  switch (std::filesystem::status(path, none).type()) {
    case file_type::regular:
      return "a file";
    case file_type::directory:
      return "a folder";
    case file_type::character:
    case file_type::block:
      return "a device";
    case file_type::fifo:
      return "a pipe";
    case file_type::socket:
      return "a socket";
    default:
      return "nothing";
  }
}

}  // namespace outrider
