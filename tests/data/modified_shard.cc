#include "tests/data/modified_shard.h"

#include "runtime/hdf5/dataset_paths.h"
#include "runtime/hdf5/writer.h"

namespace outrider::test {

ModifiedShard::ModifiedShard(const std::vector<std::byte>& file) {
  const hdf5::Reader reader(file, "shard");
  for (const std::string& path : hdf5::dataset_paths(reader)) {
    Dataset& dataset = datasets[path];
    dataset.info = reader.info(path);
    if (dataset.info.is_text) {
      dataset.text = reader.read_text(path, 1 << 20);
    } else {
      dataset.bytes = reader.read_bytes(path);
    }
  }
}

std::vector<std::byte> ModifiedShard::file() const {
  hdf5::Writer writer;
  for (const auto& [path, dataset] : datasets) {
    if (dataset.info.is_text) {
      writer.add_text(path, dataset.text);
    } else {
      writer.add_numbers(path, dataset.info.type, dataset.info.dims, dataset.bytes,
                         hdf5::Packing::kPacked);
    }
  }
  return writer.finish();
}

}  // namespace outrider::test
