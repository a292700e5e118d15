#include "runtime/artifacts/draft_group.h"

#include <fmt/core.h>

#include <stdexcept>
#include <vector>

#include "runtime/artifacts/llama_group.h"
#include "runtime/artifacts/stored_weights.h"

namespace outrider::artifacts {

void write_draft(const model::Model& draft, std::span<const int> from_layers, hdf5::Writer& file,
                 const std::string& group) {
  if (from_layers.size() != draft.layers.size())
    throw std::logic_error("write_draft: expected a layer of the target, or none, for each layer");
  write_llama_shape(draft.config, file, group);
  file.add<std::int32_t>(group + "/from_layers", {from_layers.size()},
                         std::vector<std::int32_t>(from_layers.begin(), from_layers.end()),
                         hdf5::Packing::kPlain);
  write_llama_weights(draft, file, group);
  write_head(draft, file, group);
}

model::Model read_draft(const ArtifactFile& file, const model::Model& target) {
  const int layers = read_llama_shape(file, target, kDraft, {}).layers;
  const std::string name = std::string(kDraft) + "/from_layers";
  for (const int layer :
       file.reader().read<std::int32_t>(name, {static_cast<std::uint64_t>(layers)}))
    if (layer < 0 || layer > target.config.layers)
      file.reader().refuse(name,
                           fmt::format("expected 0 to {}, found {}", target.config.layers, layer));
  model::Model draft = read_llama(file, target, kDraft, {});
  draft.name = "draft model of " + target.name;
  return draft;
}

std::vector<int> read_from_layers(const ArtifactFile& file) {
  return file.reader().read<std::int32_t>(std::string(kDraft) + "/from_layers",
                                          {hdf5::Reader::kAny});
}

}  // namespace outrider::artifacts
