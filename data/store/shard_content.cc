#include "data/store/shard_content.h"

#include "runtime/base/hash.h"
#include "runtime/hdf5/dataset_paths.h"

namespace outrider::data {
std::string content_hash(const hdf5::Reader& file) {
  constexpr std::size_t kMaxText = 1 << 24;
  Hasher hasher;
  for (const std::string& path : dataset_paths(file)) {
    const hdf5::DatasetInfo info = file.info(path);
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
