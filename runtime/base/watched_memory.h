#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace outrider {

/// Memory that is a mapped file, known by name as long as this exists. A file that is cut while it is mapped has no
/// bytes to give: reading them is a bus error (SIGBUS), which `report_lost_memory` turns into a sentence.
class WatchedMemory {
 public:
  WatchedMemory(std::span<const std::byte> memory, const std::string& file);
  ~WatchedMemory();
  WatchedMemory(const WatchedMemory&) = delete;
  WatchedMemory& operator=(const WatchedMemory&) = delete;

 private:
  int place_;  // in the table; -1: it is full, and the memory is not watched
};

/// From now on a bus error in watched memory ends the program with a sentence that names the file, and exit status 2.
/// @param program  its name before the sentence
void report_lost_memory(const std::string& program);

}  // namespace outrider
