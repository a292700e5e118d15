#include "runtime/artifacts/copy_layer.h"

#include <span>

namespace outrider::artifacts {
namespace {

template <typename T>
void add(Hdf5Writer& file, const std::string& path, const std::vector<T>& values) {
  file.add(path, {values.size()}, std::span<const T>(values), Packing::kPlain);
}

void add_number(Hdf5Writer& file, const std::string& path, std::int32_t number) {
  file.add(path, {}, std::span<const std::int32_t>(&number, 1), Packing::kPlain);
}

}  // namespace

void write_copy_layer(const CopyLayer& found, Hdf5Writer& file, const std::string& group) {
  add(file, group + "/by_layer", found.by_layer);
  add_number(file, group + "/draft_length", found.draft_length);
  add_number(file, group + "/chosen", found.chosen);
  write_copy_settings(found.settings, file, group);
}

CopyLayer read_copy_layer(const Hdf5Reader& file, const std::string& group) {
  CopyLayer found;
  found.by_layer = file.read<double>(group + "/by_layer", {Hdf5Reader::kAny});
  found.draft_length = file.read<std::int32_t>(group + "/draft_length", {}).front();
  found.chosen = file.read<std::int32_t>(group + "/chosen", {}).front();
  if (found.chosen < 0 || static_cast<std::size_t>(found.chosen) >= found.by_layer.size())
    file.refuse(group + "/chosen", "expected a layer of the curve");
  found.settings = read_copy_settings(file, group);
  return found;
}

}  // namespace outrider::artifacts
