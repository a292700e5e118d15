#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/hdf5/reader.h"

namespace outrider::test {

/// A shard as separate datasets, to be modified and written again.
struct ModifiedShard {
  struct Dataset {
    std::string text;  // for texts
    hdf5::DatasetInfo info;
    std::vector<std::byte> bytes;
  };
  std::map<std::string, Dataset> datasets;

  explicit ModifiedShard(const std::vector<std::byte>& file);

  /// Replaces a dataset's numbers, one dimension.
  template <typename T>
  void set(const std::string& path, const std::vector<T>& values) {
    Dataset& dataset = datasets[path];
    dataset.info.type = hdf5::kNumberType<T>;
    dataset.info.dims = {values.size()};
    const auto bytes = std::as_bytes(std::span(values));
    dataset.bytes.assign(bytes.begin(), bytes.end());
  }
  template <typename T>
  std::vector<T> get(const std::string& path) const {
    const std::vector<std::byte>& bytes = datasets.at(path).bytes;
    const T* first = reinterpret_cast<const T*>(bytes.data());
    return {first, first + bytes.size() / sizeof(T)};
  }

  /// Replaces one number of a dataset, whose dimensions stay.
  template <typename T>
  void change(const std::string& path, std::size_t index, T value) {
    std::vector<T> values = get<T>(path);
    values.at(index) = value;
    const hdf5::Dims dims = datasets.at(path).info.dims;
    set(path, values);
    datasets.at(path).info.dims = dims;
  }

  std::vector<std::byte> file() const;
};

}  // namespace outrider::test
