#include "runtime/artifacts/copy_layer.h"

namespace outrider::artifacts {

void write_copy_layer(const CopyLayer& found, Hdf5Writer& file, const std::string& group) {
  file.add<double>(group + "/by_layer", {found.by_layer.size()}, found.by_layer, Packing::kPlain);
  file.add<double>(group + "/by_mean", {found.by_mean.size()}, found.by_mean, Packing::kPlain);
  file.add_number<std::int32_t>(group + "/draft_length", found.draft_length);
  file.add_number<std::int32_t>(group + "/chosen", found.chosen);
  write_copy_settings(found.settings, file, group);
  file.add<double>(group + "/by_layer_at", {found.settings.size(), found.by_layer.size()},
                   found.by_layer_at, Packing::kPlain);
}

CopyLayer read_copy_layer(const Hdf5Reader& file, const std::string& group) {
  CopyLayer found;
  found.by_layer = file.read<double>(group + "/by_layer", {Hdf5Reader::kAny});
  if (file.has(group + "/by_mean"))
    found.by_mean = file.read<double>(group + "/by_mean", {Hdf5Reader::kAny});
  found.draft_length = file.read_number<std::int32_t>(group + "/draft_length");
  found.chosen = file.read_number<std::int32_t>(group + "/chosen");
  if (found.chosen < 0 || static_cast<std::size_t>(found.chosen) >= found.by_layer.size())
    file.refuse(group + "/chosen", "expected a layer of the curve");
  found.settings = read_copy_settings(file, group);
  if (file.has(group + "/by_layer_at"))
    found.by_layer_at =
        file.read<double>(group + "/by_layer_at", {found.settings.size(), found.by_layer.size()});
  return found;
}

}  // namespace outrider::artifacts
