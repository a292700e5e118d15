#include "runtime/artifacts/dataset_paths.h"

namespace outrider::artifacts {
namespace {

// Links of a damaged file may form a ring.
constexpr int kMaxDepth = 8;
constexpr std::size_t kMaxPaths = 100'000;

void list(const Hdf5Reader& file, const std::string& group, int depth,
          std::vector<std::string>& paths) {
  if (depth > kMaxDepth) file.refuse(group, "groups are nested too deep");
  for (const std::string& name : file.names(group.empty() ? "/" : group)) {
    const std::string path = group + "/" + name;
    if (file.is_group(path)) {
      list(file, path, depth + 1, paths);
    } else {
      paths.push_back(path);
    }
    if (paths.size() > kMaxPaths) file.refuse(group, "too many datasets");
  }
}

}  // namespace

std::vector<std::string> dataset_paths(const Hdf5Reader& file, const std::string& group) {
  std::vector<std::string> paths;
  list(file, group, 0, paths);
  return paths;
}

}  // namespace outrider::artifacts
