#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/artifacts/provenance.h"
#include "runtime/artifacts/target_identity.h"
#include "runtime/hdf5/reader.h"

namespace outrider::artifacts {

/// @throws InputError if the path leads to something that is neither a file nor a folder, such as a device
void check_is_file_or_folder(const std::filesystem::path& path);

/// Results of calibration and training for one target: an HDF5 file with a group for each result
/// ("/ngrammys", "/cost/<machine>"), each with its provenance, and with /target, the target's identity.
class ArtifactFile {
 public:
  /// @throws InputError if it is not such a file
  explicit ArtifactFile(const std::filesystem::path& path);
  explicit ArtifactFile(hdf5::Reader file);

  const TargetIdentity& target() const { return target_; }
  /// @throws InputError naming the model or tokenizer that the file was made for, if it is another
  void check_made_for(const TargetIdentity& model) const;

  /// The results: every group with a provenance, in alphabetical order.
  std::vector<std::string> groups() const;
  /// Whether a group is one of them, and not only has some below it.
  bool has(const std::string& group) const { return reader_.has(group + kMark); }
  /// The paths of a result's datasets, as hdf5::dataset_paths, without those of other results below its group.
  std::vector<std::string> datasets_of(const std::string& group) const;
  /// The open file, for the readers of the groups.
  const hdf5::Reader& reader() const { return reader_; }

 private:
  static constexpr const char* kMark = "/provenance/command";  // of a result

  hdf5::Reader reader_;
  TargetIdentity target_;
};

}  // namespace outrider::artifacts
