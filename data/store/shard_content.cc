#include "data/store/shard_content.h"

#include "runtime/base/hash.h"

namespace outrider::data {
namespace {

void list(const artifacts::Hdf5Reader& file, const std::string& group, int depth,
          std::vector<std::string>& paths) {
  constexpr int kMaxDepth = 8;  // links of a damaged file may form a ring
  if (depth > kMaxDepth) file.refuse(group, "groups are nested too deep");
  for (const std::string& name : file.names(group.empty() ? "/" : group)) {
    const std::string path = group + "/" + name;
    if (file.is_group(path)) {
      list(file, path, depth + 1, paths);
    } else {
      paths.push_back(path);
    }
  }
}

}  // namespace

std::vector<std::string> dataset_paths(const artifacts::Hdf5Reader& file) {
  std::vector<std::string> paths;
  list(file, "", 0, paths);
  return paths;
}

std::string content_hash(const artifacts::Hdf5Reader& file) {
  constexpr std::size_t kMaxText = 1 << 24;
  Hasher hasher;
  for (const std::string& path : dataset_paths(file)) {
    const artifacts::DatasetInfo info = file.info(path);
    hasher.add_text(path);
    if (info.is_text) {
      hasher.add_text("text");
      hasher.add_text(file.read_text(path, kMaxText));
      continue;
    }
    hasher.add_text(name_of(info.type));
    hasher.add_number(info.dims.size());
    for (const std::uint64_t dim : info.dims) hasher.add_number(dim);
    hasher.add(file.read_bytes(path));
  }
  return hasher.hex();
}

}  // namespace outrider::data
