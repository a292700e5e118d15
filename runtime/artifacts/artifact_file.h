#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "runtime/artifacts/provenance.h"
#include "runtime/artifacts/target.h"
#include "runtime/hdf5/reader.h"
#include "runtime/hdf5/writer.h"

namespace outrider::artifacts {

/// What calibration and training found out about one target: an HDF5 file with a group for each
/// result ("/ngrammys", "/cost/<machine>"), each with its provenance, and /target saying whose it is.
class ArtifactFile {
 public:
  /// @throws InputError for what is no such file
  explicit ArtifactFile(const std::filesystem::path& path);

  const TargetIdentity& target() const { return target_; }
  /// @throws InputError saying for which model or tokenizer the file was made, when it is not this
  void check_made_for(const TargetIdentity& model) const;

  /// The results: every group with a provenance, in alphabetical order.
  std::vector<std::string> groups() const;
  bool has(const std::string& group) const { return reader_.is_group(group); }
  /// @throws InputError saying which command makes the group, when it is not there
  void check_has(const std::string& group, const std::string& command) const;
  /// For the readers of the groups.
  const hdf5::Reader& reader() const { return reader_; }

 private:
  hdf5::Reader reader_;
  TargetIdentity target_;
};

/// Adds the datasets of a group. @param group  its path: dataset "tokens" is `group` + "/tokens"
using FillGroup = std::function<void(hdf5::Writer&, const std::string& group)>;

/// Writes one group and leaves the others of the file as they are; the file and its folder are made
/// when they are not there. Tools that do this at once wait for each other, and whoever reads sees the
/// file before or after, never between.
/// @param provenance  its code version and date are filled in here
/// @throws InputError when the file is there and belongs to another target
void replace_group(const std::filesystem::path& path, const TargetIdentity& target,
                   const std::string& group, Provenance provenance, const FillGroup& fill);

}  // namespace outrider::artifacts
