#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace outrider {

/// A text that is kept in a folder under a key of any kind, a file each. Whatever is wrong with the file or the
/// folder, the text is only not known, or not kept: it can be made again.
class KeptText {
 public:
  /// @param folder  need not exist; empty: nothing is kept
  /// @param kind    the beginning of the file's name: "certificate"
  KeptText(const std::filesystem::path& folder, const std::string& kind, const std::string& key);

  std::optional<std::string> read() const;
  /// @return whether it is kept. Written atomically.
  bool write(const std::string& text) const;

 private:
  std::filesystem::path path_;  // empty: nothing is kept
};

}  // namespace outrider
