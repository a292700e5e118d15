#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "data/journal/journal_file.h"

namespace outrider::data {

// A journal that several processes divide: entry i is of part i % parts + 1, and each part has a file of its own beside that of
// all entries, "mine.h5.heads-tried.2-of-4.part" beside "mine.h5.heads-tried.part". The head of a part is that of the
// whole, and the number of all entries.

std::filesystem::path part_path(const std::filesystem::path& journal, int part, int parts);

/// The parts that there are of a journal, by their file: its number and that of all.
std::map<std::filesystem::path, std::pair<int, int>> files_of_parts(
    const std::filesystem::path& journal);

/// The journals beside an artifact file of which there are parts, and their number.
/// @throws InputError where some were divided into another number than others
std::map<std::filesystem::path, int> divided_journals(const std::filesystem::path& artifact);

/// The number of parts that work beside an artifact file is divided into; 0: into none.
/// @throws InputError as divided_journals
int parts_beside(const std::filesystem::path& artifact);

/// What the parts of a journal lack.
struct UnfinishedParts {
  int parts = 0;             // 0: there are none
  std::vector<int> numbers;  // of those that lack entries, from 1

  bool are_whole() const { return parts > 0 && numbers.empty(); }
  /// "parts 2 and 5 of 8 are not finished: start them again with --shard I/8, or of a job array --array=1,4"
  std::string text() const;
};

/// Makes one journal of its parts once all are finished: the file that one process would have written. They stay.
/// @param head  of a part; empty: that of the first one
/// @throws InputError naming a part with another head
UnfinishedParts merge_parts(const std::filesystem::path& journal, JournalEntry head = {});

}  // namespace outrider::data
