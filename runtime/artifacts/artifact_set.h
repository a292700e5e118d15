#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/artifacts/artifact_file.h"

namespace outrider::artifacts {

/// Where artifact files are looked for, and where tools leave them.
inline constexpr const char* kArtifactFolder = "checkpoints";

/// The files that were made for one target, read as one.
///
/// A group that several of them have is read from the file or folder that the user named; else from
/// checkpoints/ below the folder that the program runs in; else from the one that comes with the programs. Of
/// several files in one folder it is the one whose group has the newest provenance date, and of equal dates
/// the first by name.
class ArtifactSet {
 public:
  /// Without files.
  explicit ArtifactSet(TargetIdentity target) : target_(std::move(target)) {}
  /// @param named  what --artifacts names, a file or a folder; empty: nothing
  /// @throws InputError when the named file cannot be read or is another target's, or the named folder has no
  ///         file of the target's; in checkpoints/ such files are passed over
  ArtifactSet(TargetIdentity target, const std::filesystem::path& named);

  /// Adds the files of a folder that were made for the target, to be asked after those added before.
  void add_folder(const std::filesystem::path& folder);

  const TargetIdentity& target() const { return target_; }
  /// Every group of every file, in alphabetical order.
  std::vector<std::string> groups() const;
  /// The file to read a group from; nullptr: none has it. Valid as long as the set.
  const ArtifactFile* with(const std::string& group) const;
  /// The same. @throws InputError saying which command makes the group when none has it and one was named
  const ArtifactFile* with(const std::string& group, const std::string& command) const;

 private:
  friend struct ArtifactFolder;
  using Files = std::vector<ArtifactFile>;  // of one folder, by name

  void add_named(const std::filesystem::path& named);
  bool has_file(const std::filesystem::path& path) const;

  TargetIdentity target_;
  std::string named_;
  std::vector<Files> places_;  // in the order in which they are asked
};

/// All that a folder holds, by target.
struct ArtifactFolder {
  /// @throws InputError for what is no folder
  explicit ArtifactFolder(const std::filesystem::path& folder);

  std::vector<ArtifactSet> sets;     // by the name of the target
  std::vector<std::string> refused;  // "FILE: why", of files (*.h5) that cannot be read
};

/// Where a tool writes a group of a target: a file of its own, so that the others stay as they are.
/// @param named  --artifacts: that file, or a file in that folder; empty: a file in checkpoints/ below the
///               folder that the program runs in
std::filesystem::path file_to_write(const std::filesystem::path& named,
                                    const TargetIdentity& target, const std::string& group);

}  // namespace outrider::artifacts
