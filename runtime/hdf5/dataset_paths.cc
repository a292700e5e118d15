#include "runtime/hdf5/dataset_paths.h"

#include <utility>

namespace outrider::hdf5 {
namespace {

// Links of a damaged file may form a cycle, or reach one group by very many paths.
constexpr int kMaxDepth = 8;
constexpr std::size_t kMaxVisits = 20'000;

class Walk {
 public:
  explicit Walk(const Reader& file) : file_(file) {}

  void visit(const std::string& group, int depth) {
    if (depth > kMaxDepth) file_.refuse(group, "groups are nested too deep");
    for (const std::string& name : file_.names(group.empty() ? "/" : group)) {
      if (++visits_ > kMaxVisits) file_.refuse(group, "too many datasets and groups");
      const std::string path = group + "/" + name;
      if (file_.is_group(path)) {
        visit(path, depth + 1);
      } else {
        paths.push_back(path);
      }
    }
  }

  std::vector<std::string> paths;

 private:
  const Reader& file_;
  std::size_t visits_ = 0;
};

}  // namespace

std::vector<std::string> dataset_paths(const Reader& file, const std::string& group) {
  Walk walk(file);
  walk.visit(group, 0);
  return std::move(walk.paths);
}

}  // namespace outrider::hdf5
