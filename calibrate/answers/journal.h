#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

namespace outrider::calibrate {

/// What a command found out about one answer after the other, kept beside the artifact file so that a
/// run that was broken off, in whatever way, goes on where it was.
class Journal {
 public:
  using Entry = std::vector<std::int32_t>;

  /// Reads what was kept; what was kept of other work is removed, and so is an entry that was cut short.
  /// @param work  everything that the entries depend on
  Journal(std::filesystem::path path, const std::string& work);

  /// Those that were kept before.
  const std::vector<Entry>& kept() const { return kept_; }
  /// @throws InputError when it cannot be written
  void append(const Entry& entry);
  /// The result is safe elsewhere.
  void remove();
  /// @throws InputError saying that an entry is not what it should be
  [[noreturn]] void refuse() const;

 private:
  std::filesystem::path path_;
  std::vector<Entry> kept_;
  std::ofstream file_;
};

}  // namespace outrider::calibrate
