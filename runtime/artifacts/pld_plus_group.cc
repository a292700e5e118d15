#include "runtime/artifacts/pld_plus_group.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "runtime/artifacts/checked_numbers.h"
#include "runtime/artifacts/curve.h"
#include "runtime/artifacts/pld_plus_lengths_group.h"

namespace outrider::artifacts {
namespace {

constexpr std::size_t kMaxTasks = 1 << 16;

std::uint64_t length(int number) { return static_cast<std::uint64_t>(number); }

/// One line each.
std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += name + "\n";
  return text;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos;
       begin = end + 1) {
    lines.push_back(text.substr(begin, end - begin));
  }
  return lines;
}

/// Checks that counts of tokens are possible, and that there are no more hits than tokens.
void check_hits(const hdf5::Reader& file, const std::string& group,
                const draft::PldPlusHeads& found) {
  constexpr std::int64_t kMostTokens = std::int64_t{1} << 40;
  for (const std::int64_t count : found.tokens)
    if (count < 0 || count > kMostTokens)
      file.refuse(group + "/tokens", fmt::format("expected 0 to {}, found {}", kMostTokens, count));
  const std::size_t heads = found.hits.size() / found.tokens.size();
  for (std::size_t i = 0; i < found.hits.size(); ++i)
    if (found.hits[i] < 0 || found.hits[i] > found.tokens[i / heads])
      file.refuse(group + "/hits", fmt::format("expected 0 to {} of so many tokens, found {}",
                                               found.tokens[i / heads], found.hits[i]));
}

/// A head that the model has, for each of [layers * heads].
void check_ranking(const hdf5::Reader& file, const std::string& path,
                   const draft::PldPlusHeads& found) {
  for (std::size_t i = 0; i < found.ranking.size(); i += 2) {
    const std::int32_t layer = found.ranking[i], head = found.ranking[i + 1];
    if (layer < 1 || layer > found.layers || head < 0 || head >= found.heads)
      file.refuse(path,
                  fmt::format("expected heads of {} layers with {} each, found head {} of layer {}",
                              found.layers, found.heads, head, layer));
  }
}

void write_weights(const draft::PldPlusLayer& found, hdf5::Writer& file, const std::string& group) {
  const hdf5::Dims count = {found.logit_weights.size()};
  file.add<double>(group + "/logit_weights", count, found.logit_weights, hdf5::Packing::kPlain);
  file.add<double>(group + "/by_logit_weight", count, found.by_logit_weight, hdf5::Packing::kPlain);
  file.add<double>(group + "/by_logit_weight_at", {found.temperatures.size(), count[0]},
                   found.by_logit_weight_at, hdf5::Packing::kPlain);
  file.add_number<double>(group + "/logit_weight", found.logit_weight);
}

void read_weights(draft::PldPlusLayer& found, const hdf5::Reader& file, const std::string& group) {
  found.logit_weights = read_curve(file, group + "/logit_weights", {hdf5::Reader::kAny});
  found.by_logit_weight =
      read_curve(file, group + "/by_logit_weight", {found.logit_weights.size()});
  found.by_logit_weight_at = read_curve(file, group + "/by_logit_weight_at",
                                        {found.temperatures.size(), found.logit_weights.size()});
  found.logit_weight = file.read_number<double>(group + "/logit_weight");
  const auto& tried = found.logit_weights;
  if (std::find(tried.begin(), tried.end(), found.logit_weight) == tried.end())
    file.refuse(group + "/logit_weight",
                fmt::format("expected a weight of the curve, found {}", found.logit_weight));
  if (!(found.logit_weight >= 0 && found.logit_weight <= draft::kMostLogitWeight))
    file.refuse(group + "/logit_weight", fmt::format("expected 0 to {}, found {}",
                                                     draft::kMostLogitWeight, found.logit_weight));
}

}  // namespace

void write_pld_plus_heads(const draft::PldPlusHeads& found, hdf5::Writer& file,
                          const std::string& group) {
  const std::uint64_t layers = length(found.layers), heads = length(found.heads);
  const std::uint64_t tasks = found.tasks.size();
  file.add_number<std::int32_t>(group + "/layers", found.layers);
  file.add_number<std::int32_t>(group + "/heads", found.heads);
  file.add_text(group + "/tasks", joined(found.tasks));
  file.add<std::int64_t>(group + "/tokens", {2, tasks}, found.tokens, hdf5::Packing::kPlain);
  file.add<std::int64_t>(group + "/hits", {2, tasks, layers, heads}, found.hits,
                         hdf5::Packing::kPlain);
  file.add<double>(group + "/hit_shares", {layers, heads}, draft::hit_shares(found),
                   hdf5::Packing::kPlain);
  file.add<std::int32_t>(group + "/ranking", {layers * heads, 2}, found.ranking,
                         hdf5::Packing::kPlain);
  const int compared = draft::heads_compared(found);
  file.add_number<std::int32_t>(group + "/halves/compared", compared);
  file.add_number<std::int32_t>(group + "/halves/in_common",
                                draft::heads_in_common(found, compared));
  file.add<std::int32_t>(group + "/sweep_heads", {found.sweep_heads.size()}, found.sweep_heads,
                         hdf5::Packing::kPlain);
  file.add<double>(group + "/sweep", {found.sweep_heads.size(), 2}, found.sweep,
                   hdf5::Packing::kPlain);
  file.add<double>(group + "/layer_sweep", {layers, 2}, found.layer_sweep, hdf5::Packing::kPlain);
  file.add_number<std::int32_t>(group + "/draft_length", found.draft_length);
  file.add_number<std::int32_t>(group + "/chosen", found.chosen);
  file.add_text(group + "/aggregation", found.aggregation);
  write_pld_plus_lengths(found.temperatures, file, group);
  file.add<double>(group + "/sweep_at", {found.temperatures.size(), found.sweep_heads.size(), 2},
                   found.sweep_at, hdf5::Packing::kPlain);
}

draft::PldPlusHeads read_pld_plus_heads(const hdf5::Reader& file, const std::string& group) {
  draft::PldPlusHeads found;
  found.temperatures = read_pld_plus_lengths(file, group);
  found.layers = file.read_number<std::int32_t>(group + "/layers");
  found.heads = file.read_number<std::int32_t>(group + "/heads");
  constexpr int kMostHeads = 1 << 14;  // and layers
  for (const auto& [name, number] : {std::pair{"/layers", found.layers}, {"/heads", found.heads}})
    if (number < 1 || number > kMostHeads)
      file.refuse(group + name, fmt::format("expected 1 to {}, found {}", kMostHeads, number));
  const std::uint64_t layers = length(found.layers), heads = length(found.heads);
  found.tasks = split(file.read_text(group + "/tasks", kMaxTasks));
  if (found.tasks.empty()) file.refuse(group + "/tasks", "expected names of tasks, found none");
  const std::uint64_t tasks = found.tasks.size();
  found.tokens = file.read<std::int64_t>(group + "/tokens", {2, tasks});
  found.hits = file.read<std::int64_t>(group + "/hits", {2, tasks, layers, heads});
  check_hits(file, group, found);
  found.ranking = file.read<std::int32_t>(group + "/ranking", {layers * heads, 2});
  check_ranking(file, group + "/ranking", found);
  found.sweep_heads = file.read<std::int32_t>(group + "/sweep_heads", {hdf5::Reader::kAny});
  found.sweep = read_curve(file, group + "/sweep", {found.sweep_heads.size(), 2});
  found.layer_sweep = read_curve(file, group + "/layer_sweep", {layers, 2});
  found.draft_length = read_at_least(file, group + "/draft_length", 1);
  found.chosen = file.read_number<std::int32_t>(group + "/chosen");
  if (found.chosen < 1 || length(found.chosen) > layers * heads)
    file.refuse(group + "/chosen",
                fmt::format("expected 1 to {} heads, those of the model, found {}", layers * heads,
                            found.chosen));
  found.aggregation = file.read_text(group + "/aggregation", kMaxTasks);
  if (found.aggregation != "max" && found.aggregation != "sum")
    file.refuse(group + "/aggregation",
                fmt::format("expected max or sum, found '{}'", found.aggregation));
  found.sweep_at = read_curve(file, group + "/sweep_at",
                              {found.temperatures.size(), found.sweep_heads.size(), 2});
  return found;
}

void write_pld_plus_layer(const draft::PldPlusLayer& found, hdf5::Writer& file,
                          const std::string& group) {
  file.add<double>(group + "/by_layer", {found.by_layer.size()}, found.by_layer,
                   hdf5::Packing::kPlain);
  file.add<double>(group + "/by_mean", {found.by_mean.size()}, found.by_mean,
                   hdf5::Packing::kPlain);
  file.add_number<std::int32_t>(group + "/draft_length", found.draft_length);
  file.add_number<std::int32_t>(group + "/chosen", found.chosen);
  write_weights(found, file, group);
  write_pld_plus_lengths(found.temperatures, file, group);
  file.add<double>(group + "/by_layer_at", {found.temperatures.size(), found.by_layer.size()},
                   found.by_layer_at, hdf5::Packing::kPlain);
}

draft::PldPlusLayer read_pld_plus_layer(const hdf5::Reader& file, const std::string& group) {
  draft::PldPlusLayer found;
  found.temperatures = read_pld_plus_lengths(file, group);
  found.by_layer = read_curve(file, group + "/by_layer", {hdf5::Reader::kAny});
  found.by_mean = read_curve(file, group + "/by_mean", {hdf5::Reader::kAny});
  found.draft_length = file.read_number<std::int32_t>(group + "/draft_length");
  found.chosen = file.read_number<std::int32_t>(group + "/chosen");
  if (found.chosen < 0 || static_cast<std::size_t>(found.chosen) >= found.by_layer.size())
    file.refuse(group + "/chosen", fmt::format("expected a layer of the curve, 0 to {}, found {}",
                                               found.by_layer.size() - 1, found.chosen));
  read_weights(found, file, group);
  found.by_layer_at =
      read_curve(file, group + "/by_layer_at", {found.temperatures.size(), found.by_layer.size()});
  return found;
}

}  // namespace outrider::artifacts
