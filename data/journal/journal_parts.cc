#include "data/journal/journal_parts.h"

#include <fmt/format.h>

#include <regex>
#include <set>

#include "runtime/base/atomic_file.h"
#include "runtime/base/error.h"

namespace outrider::data {
namespace {

namespace fs = std::filesystem;

struct PartFile {
  fs::path path;
  fs::path journal;
  int part;
  int parts;
};

/// The files of parts in the folder of a path whose names begin with its own and a dot.
std::vector<PartFile> parts_named_after(const fs::path& path) {
  static const std::regex pattern(R"((.+)\.([0-9]{1,7})-of-([0-9]{1,7})\.part)");
  const std::string begin = path.filename().string() + ".";
  std::vector<PartFile> found;
  std::error_code none;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    const std::string name = entry.path().filename().string();
    std::smatch words;
    if (!name.starts_with(begin) || !std::regex_match(name, words, pattern)) continue;
    found.push_back({path.parent_path() / name, path.parent_path() / (words[1].str() + ".part"),
                     std::stoi(words[2]), std::stoi(words[3])});
  }
  return found;
}

/// "3", "3 and 5", "1, 3 and 5"
std::string listed(const std::vector<int>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) text += i + 1 == numbers.size() ? " and " : ", ";
    text += std::to_string(numbers[i]);
  }
  return text;
}

/// The entries of a part without its head. @param head  filled in where it is empty
std::vector<JournalEntry> read_part(const fs::path& path, JournalEntry& head) {
  std::vector<JournalEntry> entries = read_journal_file(path).entries;
  if (entries.empty()) return {};
  if (head.empty()) head = entries.front();
  if (entries.front() != head)
    throw InputError(
        fmt::format("{}: a part of other work: expected one begun with the same traces, models, "
                    "flags and version of the program; give those, or remove the file",
                    path.string()));
  entries.erase(entries.begin());
  return entries;
}

void write_journal(const fs::path& path, const std::vector<JournalEntry>& entries) {
  JournalEntry all;
  for (const JournalEntry& entry : entries) {
    const JournalEntry frame = framed(entry);
    all.insert(all.end(), frame.begin(), frame.end());
  }
  write_file_atomically(
      path, {reinterpret_cast<const char*>(all.data()), all.size() * sizeof(std::int32_t)});
}

}  // namespace

fs::path part_path(const fs::path& journal, int part, int parts) {
  fs::path named = journal;
  return named.replace_extension(fmt::format("{}-of-{}.part", part, parts));
}

std::map<fs::path, std::pair<int, int>> files_of_parts(const fs::path& journal) {
  std::map<fs::path, std::pair<int, int>> files;
  for (const PartFile& file : parts_named_after(fs::path(journal).replace_extension()))
    if (file.journal == journal) files[file.path] = {file.part, file.parts};
  return files;
}

std::map<fs::path, int> divided_journals(const fs::path& artifact) {
  std::map<fs::path, int> found;
  const PartFile* first = nullptr;
  const std::vector<PartFile> files = parts_named_after(artifact);
  for (const PartFile& file : files) {
    if (first == nullptr) first = &file;
    if (file.parts != first->parts)
      throw InputError(fmt::format(
          "{} and {}: work beside {} was divided into {} and into {} parts; remove the files of "
          "one of these",
          first->path.string(), file.path.string(), artifact.string(), first->parts, file.parts));
    found[file.journal] = file.parts;
  }
  return found;
}

int parts_beside(const fs::path& artifact) {
  const auto journals = divided_journals(artifact);
  return journals.empty() ? 0 : journals.begin()->second;
}

std::string UnfinishedParts::text() const {
  std::vector<std::string> tasks;
  for (const int number : numbers) tasks.push_back(std::to_string(number - 1));
  const bool one = numbers.size() == 1;
  return fmt::format(
      "part{} {} of {} {} not finished: start {} again with --shard I/{}, or of a job array "
      "--array={}",
      one ? "" : "s", listed(numbers), parts, one ? "is" : "are", one ? "it" : "them", parts,
      fmt::join(tasks, ","));
}

UnfinishedParts merge_parts(const fs::path& journal, JournalEntry head) {
  const auto files = files_of_parts(journal);
  if (files.empty()) return {};
  UnfinishedParts unfinished = {files.begin()->second.second, {}};
  const auto parts = static_cast<std::size_t>(unfinished.parts);
  std::vector<std::vector<JournalEntry>> entries(parts);
  for (const auto& [path, number] : files) {
    const auto part = static_cast<std::size_t>(number.first);
    if (part >= 1 && part <= parts) entries[part - 1] = read_part(path, head);
  }
  const std::size_t all = head.empty() ? 0 : static_cast<std::size_t>(head.back());
  for (std::size_t part = 0; part < parts; ++part)
    if (head.empty() || entries[part].size() < (all + parts - 1 - part) / parts)
      unfinished.numbers.push_back(static_cast<int>(part) + 1);
  if (!unfinished.numbers.empty()) return unfinished;
  std::vector<JournalEntry> whole = {{head.begin(), head.end() - 1}};
  for (std::size_t i = 0; i < all; ++i) whole.push_back(entries[i % parts][i / parts]);
  write_journal(journal, whole);
  return unfinished;
}

}  // namespace outrider::data
