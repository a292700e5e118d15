#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "data/store/group_format.h"
#include "data/store/trace_store.h"
#include "runtime/hdf5/reader.h"

namespace outrider::data {

/// Reads a group of a store, finished or not.
class TraceGroup {
 public:
  /// @throws InputError if the store has no such group, its manifests are contradictory, or it was made for
  ///         other content than the store's
  TraceGroup(const TraceStore& store, const std::string& name);

  const GroupSpec& spec() const { return spec_; }
  const Manifest& manifest() const { return manifest_; }
  /// Shards of the store that the group has no file for.
  std::vector<int> missing() const;
  std::filesystem::path path(int shard) const;

  /// Opens the file for a shard and checks its columns against the spec.
  /// @param check_hash  as in TraceStore::open
  /// @throws InputError naming the file and what is wrong with it
  hdf5::Reader open(int shard, bool check_hash = true) const;

  /// All rows of a column, [rows, width].
  /// @throws InputError if there is no such column, or it has another type
  template <typename T>
  std::vector<T> read(const hdf5::Reader& file, int shard, const std::string& name) const {
    const GroupColumn& found = column(name);
    return file.read<T>(path_of(found), dims_of(found, base_.at(shard)));
  }

 private:
  const GroupColumn& column(const std::string& name) const;

  std::map<int, ShardEntry> base_;  // the store's
  std::filesystem::path folder_;
  Manifest manifest_;
  GroupSpec spec_;
};

/// The groups of a store, in alphabetical order, without those that were interrupted before their first manifest.
std::vector<std::string> group_names(const TraceStore& store);

/// Compares the files of every group with their manifests, and their shapes with the store's.
/// @return all findings, one per line; none: all groups are valid and complete
std::vector<std::string> verify_groups(const TraceStore& store);

}  // namespace outrider::data
