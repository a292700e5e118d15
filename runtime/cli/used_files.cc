#include "runtime/cli/used_files.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <system_error>
#include <utility>

#include "runtime/base/descriptors.h"
#include "runtime/base/error.h"
#include "runtime/base/output_path.h"

namespace outrider::cli {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& flag, const fs::path& path, const std::string& why) {
  throw InputError(fmt::format("{} {}: {}", flag, path.string(), why));
}

/// Where the name of an updated file ends in that of a file that is kept beside it; npos: nowhere.
/// @param updated  empty: any artifact file
std::size_t end_of_updated(const std::string& updated, const std::string& beside) {
  if (!updated.empty()) return beside.starts_with(updated + ".") ? updated.size() : beside.npos;
  const std::size_t type = beside.rfind(".h5.");
  return type == beside.npos ? beside.npos : type + 3;
}

/// Whether a file of this name lies beside an updated one while that is made: its lock, a journal, a temporary file.
bool is_kept_beside(const std::string& updated, const std::string& other) {
  const std::size_t end = end_of_updated(updated, other);
  if (end == other.npos) return false;
  const std::string rest = other.substr(end);
  return rest == ".lock" || rest.ends_with(".part") || rest.starts_with(".part-");
}

}  // namespace

UsedFiles::FolderEntry UsedFiles::entry_of(const fs::path& path) {
  struct stat status = {};
  fs::path folder = path.parent_path(), name = path.filename();
  while (::stat(folder.empty() ? "." : folder.c_str(), &status) != 0 && !folder.empty()) {
    name = folder.filename() / name;
    folder = folder.parent_path();
  }
  return {{status.st_dev, status.st_ino}, name.string()};
}

void UsedFiles::read(const InputPath& input) {
  if (input.is_read == nullptr && names_standard_input(input.path)) return read_standard_input();
  struct stat status = {};
  if (::stat(input.path.c_str(), &status) != 0) return;
  const Inode inode = {status.st_dev, status.st_ino};
  if (input.is_read != nullptr)
    folders_.emplace(inode, input);
  else if (S_ISREG(status.st_mode))
    inputs_.emplace(inode, input.path.string());
}

void UsedFiles::read_standard_input() {
  if (std::exchange(standard_input_is_read_, true))
    throw InputError(
        "standard input: expected as one input of a command, found as two; give one of them as a "
        "file");
  struct stat status = {};
  if (::fstat(STDIN_FILENO, &status) == 0 && S_ISREG(status.st_mode))
    inputs_.emplace(Inode{status.st_dev, status.st_ino}, "standard input");
}

void UsedFiles::write(const std::string& flag, const fs::path& path) {
  if (names_standard_output(path)) write_standard_output({flag, path});
  if (path == "-") return;
  struct stat status = {};
  const bool is_there = ::stat(path.c_str(), &status) == 0;
  const Output output = {flag, path};
  if (is_there && S_ISDIR(status.st_mode))
    return check_is_no_input_folder(output, {status.st_dev, status.st_ino});
  if (is_there && !S_ISREG(status.st_mode)) return;  // a device or a pipe has no content to lose
  if (is_there) check_is_no_input(output, {status.st_dev, status.st_ino}, status.st_nlink > 1);
  claim(output, is_there, false);
}

void UsedFiles::update(const std::string& flag, const fs::path& path) {
  check_output_file(flag, path);
  std::error_code none;
  const Output output = {flag, path};
  claim(output, fs::exists(path, none), true);
  for (const fs::path& name : {path, follow_links(path)}) note_update(entry_of(name), output);
}

void UsedFiles::update_one_of(const std::string& flag, const fs::path& folder) {
  std::error_code none;
  if (fs::is_directory(folder, none))
    note_update({entry_of(folder / "").first, ""}, {flag, folder});
}

void UsedFiles::note_update(const FolderEntry& updated, const Output& update) {
  for (const auto& [entry, output] : outputs_) check_is_not_beside(updated, update, entry, output);
  updates_.emplace(updated, update);
}

/// @param has_other_names  so that it may be a file of an input folder, wherever it lies
void UsedFiles::check_is_no_input(const Output& output, const Inode& inode,
                                  bool has_other_names) const {
  const auto input = inputs_.find(inode);
  if (input != inputs_.end())
    refuse(output.flag, output.path, fmt::format("would replace {}, which is read", input->second));
  if (!has_other_names) return;
  for (const auto& [folder_inode, folder] : folders_) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder.path, error)) {
      struct stat status = {};
      if (folder.is_read(entry.path().filename().string()) &&
          ::stat(entry.path().c_str(), &status) == 0 &&
          Inode{status.st_dev, status.st_ino} == inode)
        refuse(output.flag, output.path,
               fmt::format("would replace {}, which is read", entry.path().string()));
    }
  }
}

void UsedFiles::check_is_no_input_folder(const Output& output, const Inode& inode) const {
  const auto [first, last] = folders_.equal_range(inode);
  for (auto read = first; read != last; ++read)
    if (!read->second.may_be_updated)
      refuse(output.flag, output.path,
             fmt::format("would replace files of {}, which is read", read->second.path.string()));
}

/// Notes an output's folder and name; refuses it in an input folder, or if another output has it.
void UsedFiles::claim(const Output& output, bool is_there, bool is_update) {
  const FolderEntry entry = entry_of(follow_links(output.path));
  const auto [first, last] = folders_.equal_range(entry.first);
  for (auto read = first; read != last; ++read)
    if (read->second.is_read(entry.second) && !(is_update && read->second.may_be_updated))
      refuse(output.flag, output.path,
             fmt::format("would {} a file of {}, which is read", is_there ? "replace" : "become",
                         read->second.path.string()));
  for (const auto& [updated, update] : updates_)
    check_is_not_beside(updated, update, entry, output);
  const auto& [other, is_new] = outputs_.emplace(entry, output);
  if (!is_new && other->second.flag != output.flag)
    throw InputError(fmt::format("{} and {}: both would write {}", other->second.flag, output.flag,
                                 output.path.string()));
}

void UsedFiles::check_is_not_beside(const FolderEntry& updated, const Output& update,
                                    const FolderEntry& entry, const Output& output) {
  if (update.flag == output.flag || entry.first != updated.first ||
      !is_kept_beside(updated.second, entry.second))
    return;
  refuse(output.flag, output.path,
         fmt::format("would replace a file that {} {} needs while it is made; give another name",
                     update.flag, update.path.string()));
}

void UsedFiles::write_standard_output(const Output& output) {
  if (standard_output_was_closed())
    throw InputError(
        fmt::format("{}: {} is standard output, which is closed: expected it open, or a file",
                    output.flag, output.path.string()));
  if (at_standard_output_.empty()) at_standard_output_ = output.flag;
  if (at_standard_output_ == output.flag) return;
  throw InputError(fmt::format("{} and {}: only one of them can be standard output",
                               at_standard_output_, output.flag));
}

}  // namespace outrider::cli
