#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

namespace outrider::calibrate {

/// The results of a command for one answer after another, stored next to the artifact file so that
/// an interrupted or killed run continues.
class Journal {
 public:
  using Entry = std::vector<std::int32_t>;

  /// Reads the stored entries; discards those of other work and an incomplete last one.
  /// @param work  identifies everything that the entries depend on
  Journal(std::filesystem::path path, const std::string& work);

  /// The entries of earlier runs.
  const std::vector<Entry>& kept() const { return kept_; }
  /// @throws InputError with the system's reason when the file cannot be written
  void append(const Entry& entry);
  /// Removes the file, once the result is stored elsewhere.
  void remove();
  /// @throws InputError for an invalid entry
  [[noreturn]] void refuse() const;

 private:
  void open(std::ios::openmode mode);

  std::filesystem::path path_;
  std::vector<Entry> kept_;
  std::ofstream file_;
};

}  // namespace outrider::calibrate
