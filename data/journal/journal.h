#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "data/journal/journal_file.h"
#include "runtime/base/work_share.h"

namespace outrider::data {

/// The results of a command for one answer after another, stored next to the artifact file so that
/// an interrupted or killed run continues. Several processes can divide the answers: each stores those of its part, and
/// once all parts are finished every process, with a share or without one, reads the whole.
class Journal {
 public:
  using Entry = JournalEntry;

  /// Reads the stored entries; discards those of other work and an incomplete last one.
  /// @param work  identifies everything that the entries depend on, besides the program's version
  Journal(std::filesystem::path path, const std::string& work);
  /// The same of a journal that can be divided.
  /// @param all  entries that the whole has
  /// @throws InputError for parts of other work; without a share, where there are unfinished parts, naming them
  Journal(std::filesystem::path path, const std::string& work, const WorkShare& share,
          std::size_t all);

  /// How many entries of this work a file has; the file is only read.
  static std::size_t count_kept(const std::filesystem::path& path, const std::string& work);

  /// Whether these are the entries of one part only.
  bool is_part() const { return share_.parts > 1; }
  /// The place in the whole of an entry: of kept()[i], or of the i-th that is appended.
  std::size_t place(std::size_t i) const {
    const auto part = static_cast<std::size_t>(share_.part - 1);
    return part + i * static_cast<std::size_t>(share_.parts);
  }
  /// The items that this process has not worked on yet, in their order.
  /// @param all  [entries of the whole]
  template <typename Items>
  std::vector<typename Items::value_type> left_of(const Items& all) const {
    std::vector<typename Items::value_type> left;
    for (std::size_t i = kept_.size(); place(i) < all.size(); ++i) left.push_back(all[place(i)]);
    return left;
  }
  /// Once a part has all of its entries. @throws PartDone
  [[noreturn]] void end_part() const;

  /// The entries of earlier runs.
  const std::vector<Entry>& kept() const { return kept_; }
  /// @throws InputError with the system's reason when the file cannot be written
  void append(const Entry& entry);
  /// Removes the file and those of parts, once the result is stored elsewhere.
  void remove();
  /// @throws InputError for an invalid entry
  [[noreturn]] void refuse() const;

 private:
  void begin(const Entry& head);
  void open(std::ios::openmode mode);

  std::filesystem::path whole_;
  std::filesystem::path path_;  // of the whole, or of a part
  WorkShare share_;             // 1 of 1: the whole
  std::vector<Entry> kept_;
  std::ofstream file_;
};

}  // namespace outrider::data
