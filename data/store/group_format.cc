#include "data/store/group_format.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>

#include "runtime/base/error.h"
#include "runtime/base/numbers.h"

namespace outrider::data {
namespace {

using hdf5::NumberType;

constexpr const char* kFolderPrefix = "group-";
constexpr std::array<const char*, 3> kRowNames = {"trace", "output", "position"};
constexpr std::int64_t kMaxWidth = 1 << 20;
// Our options, in addition to the caller's.
constexpr const char* kName = "group";
constexpr const char* kColumns = "columns";
constexpr const char* kTraces = "traces";

bool is_name(const std::string& text) {
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

/// "position/features bfloat16 576"
std::string text_of(const GroupColumn& column) {
  return fmt::format("{} {} {}", path_of(column).substr(1), hdf5::name_of(column.type),
                     column.width);
}

std::optional<GroupColumn> parse_column(const std::string& text) {
  std::istringstream words(text);
  std::string path, type, width, more;
  words >> path >> type >> width;
  const std::size_t slash = std::min(path.find('/'), path.size());
  GroupColumn column;
  if (slash < path.size()) column.name = path.substr(slash + 1);
  const auto* const rows = std::find(kRowNames.begin(), kRowNames.end(), path.substr(0, slash));
  int number = 0;
  while (number < hdf5::kNumberTypes && type != hdf5::name_of(static_cast<NumberType>(number))) {
    ++number;
  }
  const auto numbers = parse_integer(width);
  if (!is_name(column.name) || rows == kRowNames.end() || number == hdf5::kNumberTypes ||
      !numbers || *numbers < 1 || *numbers > kMaxWidth || words >> more) {
    return std::nullopt;
  }
  column.rows = static_cast<RowsOf>(rows - kRowNames.begin());
  column.type = static_cast<NumberType>(number);
  column.width = static_cast<std::uint64_t>(*numbers);
  return column;
}

std::string text_of(const std::vector<GroupColumn>& columns) {
  std::string text;
  for (const GroupColumn& column : columns) text += (text.empty() ? "" : "; ") + text_of(column);
  return text;
}

/// Nothing if the text is not from `text_of`.
std::optional<std::vector<GroupColumn>> parse_columns(const std::string& text) {
  std::vector<GroupColumn> columns;
  std::set<std::string> paths;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ';');) {
    const auto column = parse_column(part);
    if (!column || !paths.insert(path_of(*column)).second) return std::nullopt;
    columns.push_back(*column);
  }
  if (columns.empty()) return std::nullopt;
  return columns;
}

}  // namespace

std::string group_folder_name(const std::string& name) { return kFolderPrefix + name; }

bool is_group_folder_name(const std::string& name) {
  const std::string prefix = kFolderPrefix;
  return name.starts_with(prefix) && is_name(name.substr(prefix.size()));
}

std::string path_of(const GroupColumn& column) {
  return fmt::format("/{}/{}", kRowNames.at(static_cast<std::size_t>(column.rows)), column.name);
}

hdf5::Dims dims_of(const GroupColumn& column, const ShardEntry& shard) {
  std::int64_t rows = shard.traces;
  if (column.rows == RowsOf::kOutput) rows = shard.output_tokens;
  if (column.rows == RowsOf::kPosition)
    rows = shard.prompt_tokens + shard.output_tokens - shard.traces;
  return {static_cast<std::uint64_t>(rows), column.width};
}

StoreIdentity group_identity(const Manifest& store, const GroupSpec& spec) {
  const std::string columns = text_of(spec.columns);
  if (!is_name(spec.name) || !parse_columns(columns)) {
    throw std::logic_error(
        fmt::format("group '{}': a name or column that cannot be stored: {}", spec.name, columns));
  }
  StoreIdentity identity = store.identity;
  identity.top_k = 0;
  identity.layers.clear();
  identity.options = {{kName, spec.name}, {kColumns, columns}, {kTraces, content_hash(store)}};
  identity.options.insert(identity.options.end(), spec.options.begin(), spec.options.end());
  return identity;
}

GroupSpec parse_group_identity(const StoreIdentity& identity, const std::string& where) {
  const auto refuse = [&where] {
    throw InputError(fmt::format("{}: expected the identity of a group of a trace store", where));
  };
  const auto& options = identity.options;
  if (options.size() < 3 || options[0].first != kName || options[1].first != kColumns ||
      options[2].first != kTraces || !is_name(options[0].second)) {
    refuse();
  }
  const auto columns = parse_columns(options[1].second);
  if (!columns) refuse();
  return {options[0].second, *columns, {options.begin() + 3, options.end()}};
}

}  // namespace outrider::data
