#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "runtime/base/input_path.h"

namespace outrider::cli {

/// The files that the options of a command name, so that no output replaces an input or another output. Files are told
/// apart by device and inode, whatever name or link leads to them.
class UsedFiles {
 public:
  /// What is read; "-" is standard input. Ignored where there is no regular file.
  /// @throws InputError if standard input was given before
  void read(const InputPath& input);

  /// An output, once all that is read is known; "-" is standard output.
  /// @param flag  that gave the path, such as "--json"
  /// @throws InputError naming the flag if it would replace an input, add to an input folder, write to another flag's
  ///         output, or is a standard output that was closed
  void write(const std::string& flag, const std::filesystem::path& path);

  /// A file that is updated: read and then replaced; not standard output. No output may be a file that is kept beside it
  /// meanwhile: `path`.lock, `path`.….part, or a temporary file of it.
  /// @throws InputError as `write`
  void update(const std::string& flag, const std::filesystem::path& path);
  /// One of the artifact files (*.h5) of a folder, which one is known later.
  void update_one_of(const std::string& flag, const std::filesystem::path& folder);

 private:
  using Inode = std::pair<dev_t, ino_t>;
  /// The folder that exists, and the name in it: identifies an output that does not exist yet.
  using FolderEntry = std::pair<Inode, std::string>;
  struct Output {
    std::string flag;
    std::filesystem::path path;
  };

  static FolderEntry entry_of(const std::filesystem::path& path);
  void read_standard_input();
  void claim(const Output& output, bool is_there, bool is_update);
  void check_is_no_input(const Output& output, const Inode& inode, bool has_other_names) const;
  void check_is_no_input_folder(const Output& output, const Inode& inode) const;
  static void check_is_not_beside(const FolderEntry& updated, const Output& update,
                                  const FolderEntry& entry, const Output& output);
  void note_update(const FolderEntry& updated, const Output& update);
  void write_standard_output(const Output& output);

  std::map<Inode, std::string> inputs_;  // with names for messages
  std::multimap<Inode, InputPath> folders_;
  std::map<FolderEntry, Output> outputs_;
  std::map<FolderEntry, Output> updates_;  // by their own name and by that of the file they lead to
  bool standard_input_is_read_ = false;
  std::string at_standard_output_;  // the flag whose output goes there
};

}  // namespace outrider::cli
