#include "data/journal/journal.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <iterator>

#include "data/journal/journal_parts.h"
#include "data/journal/part_done.h"
#include "runtime/base/error.h"
#include "runtime/base/hash.h"

namespace outrider::data {
namespace {

using Entry = Journal::Entry;

Entry head_of(const std::string& work) {
  Hasher hasher;
  hasher.add_text(work);
  // The version and not the commit: a rebuilt program continues the run of the one before.
  hasher.add_text(OUTRIDER_VERSION);
  const std::uint64_t low = hasher.low();
  return {static_cast<std::int32_t>(low & 0x7fffffff), static_cast<std::int32_t>(low >> 33)};
}

/// Whether a file has all entries of this work.
bool has_all(const std::filesystem::path& path, const Entry& head, std::size_t all) {
  const std::vector<Entry> entries = read_journal_file(path).entries;
  return !entries.empty() && entries.front() == head && entries.size() > all;
}

}  // namespace

Journal::Journal(std::filesystem::path path, const std::string& work)
    : whole_(std::move(path)), path_(whole_) {
  begin(head_of(work));
}

Journal::Journal(std::filesystem::path path, const std::string& work, const WorkShare& share,
                 std::size_t all)
    : whole_(std::move(path)), path_(whole_) {
  Entry head = head_of(work);
  if (!has_all(whole_, head, all)) {
    Entry head_of_part = head;
    head_of_part.push_back(static_cast<std::int32_t>(all));
    const UnfinishedParts unfinished = merge_parts(whole_, head_of_part);
    if (unfinished.parts > 0 && share.parts == 1 && !unfinished.are_whole())
      throw InputError(fmt::format("{}: {}; to begin without them, remove its files *-of-{}.part",
                                   whole_.string(), unfinished.text(), unfinished.parts));
    if (share.parts > 1 && !unfinished.are_whole()) {
      share_ = share;
      path_ = part_path(whole_, share.part, share.parts);
      head = head_of_part;
    }
  }
  begin(head);
}

std::size_t Journal::count_kept(const std::filesystem::path& path, const std::string& work) {
  const std::vector<Entry> entries = read_journal_file(path).entries;
  return entries.empty() || entries.front() != head_of(work) ? 0 : entries.size() - 1;
}

void Journal::begin(const Entry& head) {
  std::filesystem::create_directories(std::filesystem::absolute(path_).parent_path());
  JournalFile file = read_journal_file(path_);
  if (file.entries.empty() || file.entries.front() != head) {
    open(std::ios::trunc);
    append(head);
    return;
  }
  kept_.assign(std::make_move_iterator(file.entries.begin() + 1),
               std::make_move_iterator(file.entries.end()));
  std::filesystem::resize_file(path_, file.bytes);
  open(std::ios::app);
}

void Journal::end_part() const {
  const UnfinishedParts unfinished = merge_parts(whole_);
  std::string next = "the same command goes on from them";
  if (!unfinished.are_whole())
    next = fmt::format("{}; once all are, the same command goes on", unfinished.text());
  throw PartDone(fmt::format("{}: part {} of {} is done; {}", whole_.string(), share_.part,
                             share_.parts, next));
}

void Journal::open(std::ios::openmode mode) {
  file_.open(path_, std::ios::binary | mode);
  if (!file_)
    throw InputError(fmt::format("{}: cannot open: {}", path_.string(), std::strerror(errno)));
}

void Journal::append(const Entry& entry) {
  const Entry frame = framed(entry);
  file_.write(reinterpret_cast<const char*>(frame.data()),
              static_cast<std::streamsize>(frame.size() * sizeof(std::int32_t)));
  file_.flush();  // of these two, errno is of the one that failed
  if (file_) return;
  throw InputError(fmt::format(
      "{}: cannot write: {}; what is done is kept there, and the same command goes on from it",
      path_.string(), std::strerror(errno)));
}

void Journal::refuse() const {
  throw InputError(
      fmt::format("{}: its contents are invalid; remove it to start over", path_.string()));
}

void Journal::remove() {
  file_.close();
  std::error_code none;
  std::filesystem::remove(whole_, none);
  for (const auto& [path, number] : files_of_parts(whole_)) std::filesystem::remove(path, none);
}

}  // namespace outrider::data
