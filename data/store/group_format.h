#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "data/store/manifest.h"
#include "runtime/hdf5/number_types.h"

namespace outrider::data {

// A group adds columns to the traces of a finished store, such as a draft model's features. It is a
// subfolder of the store, with one file per shard and manifests of the same kind, so that finished files
// are never modified.

inline constexpr const char* kGroupFormat = "outrider trace group";
inline constexpr int kGroupVersion = 1;

/// What a column of a group has one row for: each trace, each output token, or each forwarded position,
/// like the hidden states.
enum class RowsOf : std::uint8_t { kTrace, kOutput, kPosition };

struct GroupColumn {
  std::string name;
  RowsOf rows = RowsOf::kTrace;
  hdf5::NumberType type = hdf5::NumberType::kFloat32;
  std::uint64_t width = 1;  // numbers per row
};

/// Everything that the content of a group depends on, besides the store.
struct GroupSpec {
  std::string name;  // lower-case letters, digits, - and _
  std::vector<GroupColumn> columns;
  /// Every option that the values depend on, by flag name, as in StoreIdentity.
  std::vector<std::pair<std::string, std::string>> options;
};

/// "group-draft"
std::string group_folder_name(const std::string& name);
bool is_group_folder_name(const std::string& name);

/// "/position/features"
std::string path_of(const GroupColumn& column);
/// [rows, width] in the file for a shard.
hdf5::Dims dims_of(const GroupColumn& column, const ShardEntry& shard);

/// The identity in the group's files and manifests. It contains the store's content hash, so that a group
/// of another store is detected.
/// @throws std::logic_error for a name, or columns, that cannot be stored
StoreIdentity group_identity(const Manifest& store, const GroupSpec& spec);
/// The inverse. @param where  the file, for messages
/// @throws InputError if it is not the identity of a group
GroupSpec parse_group_identity(const StoreIdentity& identity, const std::string& where);

}  // namespace outrider::data
