#include "runtime/base/opened_files.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

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

/// Notes an output's folder and name; refuses it in an input folder, or if another output has it.
void claim_entry(OpenedFiles& files, const std::string& flag, const fs::path& path, bool is_there) {
  const fs::path target = follow_links(path);
  struct stat folder_status = {};
  const fs::path folder = target.has_parent_path() ? target.parent_path() : ".";
  if (::stat(folder.c_str(), &folder_status) != 0) return;
  const FolderEntry entry = {inode_of(folder_status), target.filename().string()};
  const auto read = files.folders.find(entry.first);
  if (read != files.folders.end() && read->second.is_read(entry.second))
    refuse(flag, path,
           fmt::format("would {} a file of {}, which is read", is_there ? "replace" : "become",
                       read->second.path.string()));
  const auto& [other, is_new] = files.outputs.emplace(entry, Output{flag, path});
  if (!is_new && other->second.flag != flag)
    throw InputError(
        fmt::format("{} and {}: both would write {}", other->second.flag, flag, path.string()));
}

void claim_standard_output(OpenedFiles& files, const std::string& flag) {
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

void note_input_folder(const fs::path& folder, bool (*is_read)(const std::string& name)) {
  struct stat status = {};
  if (::stat(folder.c_str(), &status) != 0) return;
  const std::lock_guard guard(opened_files().lock);
  opened_files().folders.emplace(inode_of(status), InputFolder{folder, is_read});
}

void claim_output(const std::string& flag, const fs::path& path) {
  OpenedFiles& files = opened_files();
  const std::lock_guard guard(files.lock);
  if (path == "-") return claim_standard_output(files, flag);
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
  claim_entry(files, flag, path, fs::exists(path));
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
