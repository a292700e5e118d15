#include "runtime/artifacts/group_hash.h"

#include "runtime/base/hash.h"
#include "runtime/hdf5/dataset_paths.h"

namespace outrider::artifacts {

std::string group_hash(const ArtifactFile& file, const std::string& group) {
  constexpr std::size_t kMostText = 1 << 20;
  const std::string provenance = group + "/provenance/";
  const hdf5::Reader& reader = file.reader();
  Hasher hasher;
  for (const std::string& path : hdf5::dataset_paths(reader, group)) {
    if (path.starts_with(provenance)) continue;
    hasher.add_text(path);
    if (reader.info(path).is_text) {
      hasher.add_text(reader.read_text(path, kMostText));
      continue;
    }
    const std::vector<std::byte> bytes = reader.read_bytes(path);
    hasher.add_number(bytes.size());
    hasher.add(bytes);
  }
  return hasher.hex();
}

}  // namespace outrider::artifacts
