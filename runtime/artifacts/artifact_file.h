#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/artifacts/provenance.h"
#include "runtime/artifacts/target.h"
#include "runtime/hdf5/reader.h"

namespace outrider::artifacts {

/// What calibration and training found out about one target: an HDF5 file with a group for each
/// result ("/ngrammys", "/cost/<machine>"), each with its provenance, and /target saying whose it is.
class ArtifactFile {
 public:
  /// @throws InputError for what is no such file
  explicit ArtifactFile(const std::filesystem::path& path) : ArtifactFile(hdf5::Reader(path)) {}
  explicit ArtifactFile(hdf5::Reader file);

  const TargetIdentity& target() const { return target_; }
  /// @throws InputError saying for which model or tokenizer the file was made, when it is not this
  void check_made_for(const TargetIdentity& model) const;

  /// The results: every group with a provenance, in alphabetical order.
  std::vector<std::string> groups() const;
  bool has(const std::string& group) const { return reader_.is_group(group); }
  /// For the readers of the groups.
  const hdf5::Reader& reader() const { return reader_; }

 private:
  hdf5::Reader reader_;
  TargetIdentity target_;
};

}  // namespace outrider::artifacts
