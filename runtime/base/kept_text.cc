#include "runtime/base/kept_text.h"

#include <system_error>

#include "runtime/base/atomic_file.h"
#include "runtime/base/error.h"
#include "runtime/base/hash.h"
#include "runtime/base/text_file.h"

namespace outrider {
namespace {

constexpr std::size_t kMostKeptBytes = std::size_t{1} << 20;

}  // namespace

KeptText::KeptText(const std::filesystem::path& folder, const std::string& kind,
                   const std::string& key) {
  if (folder.empty()) return;
  Hasher hasher;
  hasher.add_text(key);
  path_ = folder / (kind + "-" + hasher.hex());
}

std::optional<std::string> KeptText::read() const {
  std::error_code ignored;
  if (path_.empty() || !std::filesystem::is_regular_file(path_, ignored)) return std::nullopt;
  try {
    return read_text_file(path_, kMostKeptBytes);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

bool KeptText::write(const std::string& text) const {
  if (path_.empty()) return false;
  std::error_code ignored;  // the file cannot be written then
  std::filesystem::create_directories(path_.parent_path(), ignored);
  try {
    write_file_atomically(path_, text);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace outrider
