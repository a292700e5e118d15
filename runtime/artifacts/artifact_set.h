#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/artifacts/artifact_file.h"
#include "runtime/base/input_path.h"

namespace outrider::artifacts {

/// Where artifact files are that the user does not name: they are read from the first of these folders that has them, and
/// written to the first.
using Folders = std::vector<std::filesystem::path>;

/// The files that were made for one target, read as one.
///
/// A group that several of them have is read from the file or folder named by the user; else from the first of the other
/// folders. Among the files of one folder, the one whose group has the newest provenance date is used; on a tie the first
/// by name.
class ArtifactSet {
 public:
  /// A set without files.
  explicit ArtifactSet(TargetIdentity target) : target_(std::move(target)) {}
  /// @param named  the file or folder of --artifacts; empty: none
  /// @throws InputError if the named file cannot be read or is another target's, or the named folder has no
  ///         file of the target's; other files in folders are skipped
  ArtifactSet(TargetIdentity target, const std::filesystem::path& named, const Folders& folders);

  /// Adds the files of a folder that were made for the target, with lower priority than those before.
  void add_folder(const std::filesystem::path& folder);

  const TargetIdentity& target() const { return target_; }
  /// "FILE: why", of the files (*.h5) of its folders that cannot be read and were skipped.
  const std::vector<std::string>& refused() const { return refused_; }
  /// Every group of every file, in alphabetical order.
  std::vector<std::string> groups() const;
  /// The file to read a group from; nullptr if none has it. Valid as long as the set.
  const ArtifactFile* with(const std::string& group) const;
  /// The file to read a group from, or nullptr.
  /// @throws InputError naming the command that makes the group, if a file was named and none
  ///         has it
  const ArtifactFile* with(const std::string& group, const std::string& command) const;

 private:
  friend struct ArtifactFolder;
  using Files = std::vector<ArtifactFile>;  // of one folder, by name

  void add_named(const std::filesystem::path& named);
  bool was_tried(const std::filesystem::path& path) const;

  TargetIdentity target_;
  std::string named_;
  std::vector<Files> folders_;  // by priority
  std::vector<std::filesystem::path> tried_;
  std::vector<std::string> refused_;
};

/// What a set reads: the file or folder named by the user, and the folders. @param named  empty: none
std::vector<InputPath> inputs_at(const std::filesystem::path& named, const Folders& folders);

/// What of a file or folder that --artifacts names can be read before anything is written: it, or "" while a
/// file does not exist, or a folder has none of the target's.
std::string file_to_read(const std::string& named, const TargetIdentity& target);

/// All artifact files of a folder, by target.
struct ArtifactFolder {
  /// @throws InputError unless it is a folder
  explicit ArtifactFolder(const std::filesystem::path& folder);

  std::vector<ArtifactSet> sets;     // by the name of the target
  std::vector<std::string> refused;  // "FILE: why", of files (*.h5) that cannot be read
};

/// The file to which a tool writes a group of a target: one file per group, so that other files are not
/// changed.
/// @param named    --artifacts: that file, or a file in that folder; empty: a file in the first of the others
/// @param folders  one or more
std::filesystem::path file_to_write(const std::filesystem::path& named, const Folders& folders,
                                    const TargetIdentity& target, const std::string& group);

}  // namespace outrider::artifacts
