#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace outrider::data {

/// The numbers that a journal keeps of one answer.
using JournalEntry = std::vector<std::int32_t>;

/// What a journal's file has: its head, which says of which work it is, and the entries. Empty where there is no file.
struct JournalFile {
  std::vector<JournalEntry> entries;  // the head before all others
  std::uintmax_t bytes = 0;           // of them; what follows is incomplete
};

JournalFile read_journal_file(const std::filesystem::path& path);

/// An entry as the file has it: the number of its values, the values, and the hash of both.
JournalEntry framed(const JournalEntry& entry);

}  // namespace outrider::data
