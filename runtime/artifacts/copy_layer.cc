#include "runtime/artifacts/copy_layer.h"

#include <algorithm>

namespace outrider::artifacts {
namespace {

void write_weights(const CopyLayer& found, hdf5::Writer& file, const std::string& group) {
  const hdf5::Dims count = {found.logit_weights.size()};
  if (count[0] == 0) return;
  file.add<double>(group + "/logit_weights", count, found.logit_weights, hdf5::Packing::kPlain);
  file.add<double>(group + "/by_logit_weight", count, found.by_logit_weight, hdf5::Packing::kPlain);
  file.add<double>(group + "/by_logit_weight_at", {found.settings.size(), count[0]},
                   found.by_logit_weight_at, hdf5::Packing::kPlain);
  file.add_number<double>(group + "/logit_weight", found.logit_weight);
}

void read_weights(CopyLayer& found, const hdf5::Reader& file, const std::string& group) {
  if (!file.has(group + "/logit_weight")) return;
  found.logit_weights = file.read<double>(group + "/logit_weights", {hdf5::Reader::kAny});
  found.by_logit_weight =
      file.read<double>(group + "/by_logit_weight", {found.logit_weights.size()});
  found.by_logit_weight_at = file.read<double>(group + "/by_logit_weight_at",
                                               {found.settings.size(), found.logit_weights.size()});
  found.logit_weight = file.read_number<double>(group + "/logit_weight");
  const auto& tried = found.logit_weights;
  if (std::find(tried.begin(), tried.end(), found.logit_weight) == tried.end())
    file.refuse(group + "/logit_weight", "expected a weight of the curve");
  if (!(found.logit_weight >= 0 && found.logit_weight <= kMostLogitWeight))
    file.refuse(group + "/logit_weight", "out of range");
}

}  // namespace

void write_copy_layer(const CopyLayer& found, hdf5::Writer& file, const std::string& group) {
  file.add<double>(group + "/by_layer", {found.by_layer.size()}, found.by_layer,
                   hdf5::Packing::kPlain);
  file.add<double>(group + "/by_mean", {found.by_mean.size()}, found.by_mean,
                   hdf5::Packing::kPlain);
  file.add_number<std::int32_t>(group + "/draft_length", found.draft_length);
  file.add_number<std::int32_t>(group + "/chosen", found.chosen);
  write_weights(found, file, group);
  write_copy_settings(found.settings, file, group);
  file.add<double>(group + "/by_layer_at", {found.settings.size(), found.by_layer.size()},
                   found.by_layer_at, hdf5::Packing::kPlain);
}

CopyLayer read_copy_layer(const hdf5::Reader& file, const std::string& group) {
  CopyLayer found;
  found.by_layer = file.read<double>(group + "/by_layer", {hdf5::Reader::kAny});
  if (file.has(group + "/by_mean"))
    found.by_mean = file.read<double>(group + "/by_mean", {hdf5::Reader::kAny});
  found.draft_length = file.read_number<std::int32_t>(group + "/draft_length");
  found.chosen = file.read_number<std::int32_t>(group + "/chosen");
  if (found.chosen < 0 || static_cast<std::size_t>(found.chosen) >= found.by_layer.size())
    file.refuse(group + "/chosen", "expected a layer of the curve");
  found.settings = read_copy_settings(file, group);
  read_weights(found, file, group);
  if (file.has(group + "/by_layer_at"))
    found.by_layer_at =
        file.read<double>(group + "/by_layer_at", {found.settings.size(), found.by_layer.size()});
  return found;
}

}  // namespace outrider::artifacts
