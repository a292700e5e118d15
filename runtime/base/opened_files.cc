#include "runtime/base/opened_files.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/base/descriptors.h"
#include "runtime/base/error.h"

namespace outrider {
namespace {

namespace fs = std::filesystem;

using Inode = std::pair<dev_t, ino_t>;

Inode inode_of(const struct stat& status) { return {status.st_dev, status.st_ino}; }

/// Folder and name: identifies an output that does not exist yet.
using FolderEntry = std::pair<Inode, std::string>;

struct InputFolder {
  fs::path path;
  bool (*is_read)(const std::string& name);
  FolderUse use;
};

struct Output {
  std::string flag;
  fs::path path;
};

struct OpenedFiles {
  std::mutex lock;
  std::map<Inode, std::string> inputs;  // with names for messages
  std::map<Inode, InputFolder> folders;
  std::map<FolderEntry, Output> outputs;
  std::map<FolderEntry, Output> updates;  // by their own name and by that of the file they lead to
  bool standard_input_is_read = false;
  std::string at_standard_output;  // the flag whose output goes there
};

OpenedFiles& opened_files() {
  static OpenedFiles files;
  return files;
}

[[noreturn]] void refuse(const std::string& flag, const fs::path& path, const std::string& why) {
  throw InputError(fmt::format("{} {}: {}", flag, path.string(), why));
}

/// The file of an input folder that has the output's inode, under any name.
std::optional<fs::path> same_in(const InputFolder& folder, const Inode& inode) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder.path, error)) {
    struct stat status = {};
    if (folder.is_read(entry.path().filename().string()) &&
        ::stat(entry.path().c_str(), &status) == 0 && inode_of(status) == inode)
      return entry.path();
  }
  return std::nullopt;
}

void check_is_no_input(const OpenedFiles& files, const std::string& flag, const fs::path& path,
                       const struct stat& status) {
  const auto input = files.inputs.find(inode_of(status));
  if (input != files.inputs.end())
    refuse(flag, path, fmt::format("would replace {}, which is read", input->second));
  if (status.st_nlink < 2) return;
  for (const auto& [inode, folder] : files.folders) {
    if (const auto same = same_in(folder, inode_of(status)))
      refuse(flag, path, fmt::format("would replace {}, which is read", same->string()));
  }
}

/// Nothing if the folder does not exist.
std::optional<FolderEntry> entry_of(const fs::path& path) {
  struct stat status = {};
  const fs::path folder = path.has_parent_path() ? path.parent_path() : ".";
  if (::stat(folder.c_str(), &status) != 0) return std::nullopt;
  return FolderEntry{inode_of(status), path.filename().string()};
}

/// Whether a file of this name lies beside an updated one while that is made: its lock, a journal, a
/// temporary file.
bool is_kept_beside(const FolderEntry& updated, const FolderEntry& other) {
  const std::string &name = updated.second, &beside = other.second;
  if (other.first != updated.first || !beside.starts_with(name + ".")) return false;
  return beside == name + ".lock" || beside.ends_with(".part") ||
         beside.starts_with(name + ".part-");
}

void check_is_not_beside(const FolderEntry& updated, const Output& update, const FolderEntry& entry,
                         const Output& output) {
  if (update.flag == output.flag || !is_kept_beside(updated, entry)) return;
  refuse(output.flag, output.path,
         fmt::format("would replace a file that {} {} needs while it is made; give another name",
                     update.flag, update.path.string()));
}

/// Notes an output's folder and name; refuses it in an input folder, or if another output has it.
void claim_entry(OpenedFiles& files, const std::string& flag, const fs::path& path, bool is_there,
                 bool is_update = false) {
  const std::optional<FolderEntry> entry = entry_of(follow_links(path));
  if (!entry) return;
  const auto read = files.folders.find(entry->first);
  if (read != files.folders.end() && read->second.is_read(entry->second) &&
      !(is_update && read->second.use == FolderUse::kReadAndUpdate))
    refuse(flag, path,
           fmt::format("would {} a file of {}, which is read", is_there ? "replace" : "become",
                       read->second.path.string()));
  const Output output = {flag, path};
  for (const auto& [updated, update] : files.updates)
    check_is_not_beside(updated, update, *entry, output);
  const auto& [other, is_new] = files.outputs.emplace(*entry, output);
  if (!is_new && other->second.flag != flag)
    throw InputError(
        fmt::format("{} and {}: both would write {}", other->second.flag, flag, path.string()));
}

void note_update(OpenedFiles& files, const std::string& flag, const fs::path& path) {
  for (const fs::path& name : {path, follow_links(path)}) {
    const std::optional<FolderEntry> updated = entry_of(name);
    if (!updated) continue;
    const Output update = {flag, path};
    for (const auto& [entry, output] : files.outputs)
      check_is_not_beside(*updated, update, entry, output);
    files.updates.emplace(*updated, update);
  }
}

void claim_standard_output(OpenedFiles& files, const std::string& flag, const fs::path& path) {
  if (standard_output_was_closed())
    throw InputError(
        fmt::format("{}: {} is standard output, which is closed: expected it open, or a file", flag,
                    path.string()));
  if (files.at_standard_output.empty()) files.at_standard_output = flag;
  if (files.at_standard_output == flag) return;
  throw InputError(fmt::format("{} and {}: only one of them can be standard output",
                               files.at_standard_output, flag));
}

}  // namespace

void note_input(const fs::path& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  const std::lock_guard guard(opened_files().lock);
  opened_files().inputs.emplace(inode_of(status), path.string());
}

void note_input(int descriptor, const std::string& name) {
  struct stat status = {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return;
  const std::lock_guard guard(opened_files().lock);
  opened_files().inputs.emplace(inode_of(status), name);
}

void claim_standard_input() {
  const std::lock_guard guard(opened_files().lock);
  if (std::exchange(opened_files().standard_input_is_read, true))
    throw InputError(
        "standard input: expected as one input of a command, found as two; give one of them as a "
        "file");
}

void note_input_folder(const fs::path& folder, bool (*is_read)(const std::string& name),
                       FolderUse use) {
  struct stat status = {};
  if (::stat(folder.c_str(), &status) != 0) return;
  const std::lock_guard guard(opened_files().lock);
  opened_files().folders.emplace(inode_of(status), InputFolder{folder, is_read, use});
}

void claim_output(const std::string& flag, const fs::path& path) {
  OpenedFiles& files = opened_files();
  const std::lock_guard guard(files.lock);
  if (names_standard_output(path)) claim_standard_output(files, flag, path);
  if (path == "-") return;
  struct stat status = {};
  const bool is_there = ::stat(path.c_str(), &status) == 0;
  if (is_there && !S_ISREG(status.st_mode)) return;  // a device or a pipe has no content to lose
  if (is_there) check_is_no_input(files, flag, path, status);
  claim_entry(files, flag, path, is_there);
}

void claim_update(const std::string& flag, const fs::path& path) {
  OpenedFiles& files = opened_files();
  const std::lock_guard guard(files.lock);
  check_output_file(flag, path);
  std::error_code none;
  claim_entry(files, flag, path, fs::exists(path, none), true);
  note_update(files, flag, path);
}

void check_output_file(const std::string& flag, const fs::path& path) {
  if (path == "-") throw InputError(fmt::format("{}: expected a file, found -", flag));
}

void check_output_folder(const std::string& flag, const fs::path& path) {
  if (path == "-") throw InputError(fmt::format("{}: expected a folder, found -", flag));
}

void forget_opened_files() {
  OpenedFiles& files = opened_files();
  const std::lock_guard guard(files.lock);
  files.inputs.clear();
  files.folders.clear();
  files.outputs.clear();
  files.updates.clear();
  files.standard_input_is_read = false;
  files.at_standard_output.clear();
}

fs::path follow_links(fs::path path) {
  constexpr int kMostLinks = 40;  // the system's own limit
  std::error_code error;
  for (int i = 0; i < kMostLinks && fs::is_symlink(path, error); ++i) {
    const fs::path to = fs::read_symlink(path, error);
    if (error) break;
    path = to.is_absolute() ? to : path.parent_path() / to;
  }
  return path;
}

}  // namespace outrider
