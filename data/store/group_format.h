#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "data/store/manifest.h"
#include "runtime/hdf5/numbers.h"

namespace outrider::data {

// A group is what a later stage knows of every trace of a finished store, such as a draft model's
// features. It lies in a folder of its own in the store's, with a file for each shard and manifests
// of the same kind, so that nothing is ever done to what is finished.

inline constexpr const char* kGroupFormat = "outrider trace group";
inline constexpr int kGroupVersion = 1;

/// What a column of a group has a row for: each trace; each output token; each position that was
/// forwarded, as the hidden states have.
enum class RowsOf : std::uint8_t { kTrace, kOutput, kPosition };

struct GroupColumn {
  std::string name;
  RowsOf rows = RowsOf::kTrace;
  hdf5::NumberType type = hdf5::NumberType::kFloat32;
  std::uint64_t width = 1;  // numbers a row
};

/// Everything that decides what a group holds, besides the store.
struct GroupSpec {
  std::string name;  // lower-case letters, digits, - and _
  std::vector<GroupColumn> columns;
  /// As in StoreIdentity: every option that the values depend on, by the name of its flag.
  std::vector<std::pair<std::string, std::string>> options;
};

/// "group-draft"
std::string group_folder_name(const std::string& name);
bool is_group_folder_name(const std::string& name);

/// "/position/features"
std::string path_of(const GroupColumn& column);
/// [rows, width] in the file that goes with a shard.
hdf5::Dims dims_of(const GroupColumn& column, const ShardEntry& shard);

/// The identity that the group's files and manifests bear: with the content of the store in it, so
/// that a group is never taken for that of another store.
/// @throws std::logic_error for a name, or columns, that cannot be stored
StoreIdentity group_identity(const Manifest& store, const GroupSpec& spec);
/// The way back. @param where  the file, for messages
/// @throws InputError when it is no identity of a group
GroupSpec parse_group_identity(const StoreIdentity& identity, const std::string& where);

}  // namespace outrider::data
