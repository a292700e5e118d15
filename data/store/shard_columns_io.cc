#include <fmt/core.h>

#include "data/store/shard_columns.h"
#include "runtime/base/error.h"

namespace outrider::data {
namespace {

using hdf5::Dims;

template <typename T>
std::vector<T> read_bounded(const hdf5::Reader& file, const std::string& path, std::size_t count,
                            T least, T most) {
  auto values = file.read<T>(path, {count});
  for (const T value : values) {
    if (value >= least && value <= most) continue;
    file.refuse(path, fmt::format("expected values from {} to {}, found {}", least, most, value));
  }
  return values;
}

}  // namespace

void write_columns(const ShardColumns& columns, const StoreIdentity& identity, hdf5::Writer& file) {
  write_texts(file, "/trace/id", columns.ids);
  write_texts(file, "/trace/task", columns.tasks);
  write_packed(file, "/trace/turn", columns.turns);
  write_packed(file, "/trace/sample", columns.samples);
  write_packed(file, "/trace/temperature", columns.temperatures);
  write_packed(file, "/trace/sequence_seed", columns.sequence_seeds);
  write_packed(file, "/trace/finish", columns.finishes);
  write_token_lists(file, "/prompt", columns.prompts, identity);
  write_packed(file, "/prompt/loss_mask", columns.prompt_loss_mask);
  write_token_lists(file, "/output", columns.outputs, identity);
  write_packed(file, "/output/loss_mask", columns.output_loss_mask);
  write_packed(file, "/output/in_loop", columns.in_loops);
  write_packed(file, "/scores/entropy", columns.entropies);
  write_packed(file, "/scores/tail_mass", columns.tail_masses);
  if (identity.top_k == 0) return;
  const auto k = static_cast<std::uint64_t>(identity.top_k);
  write_tokens(file, "/scores/top_ids", columns.top_ids, identity, k);
  write_packed(file, "/scores/top_log_probs", columns.top_log_probs, k);
}

ShardColumns read_columns(const hdf5::Reader& file, const StoreIdentity& identity) {
  ShardColumns columns;
  columns.turns = file.read<std::int32_t>("/trace/turn", {hdf5::Reader::kAny});
  const std::size_t traces = columns.turns.size();
  columns.ids = read_texts(file, "/trace/id", traces);
  columns.tasks = read_texts(file, "/trace/task", traces);
  columns.samples = file.read<std::int32_t>("/trace/sample", {traces});
  columns.temperatures = file.read<double>("/trace/temperature", {traces});
  columns.sequence_seeds = file.read<std::uint64_t>("/trace/sequence_seed", {traces});
  columns.finishes = read_bounded<std::uint8_t>(
      file, "/trace/finish", traces, 0, static_cast<std::uint8_t>(decode::FinishReason::kContext));

  columns.prompts = read_token_lists(file, "/prompt", traces, identity);
  columns.prompt_loss_mask =
      read_bounded<std::uint8_t>(file, "/prompt/loss_mask", columns.prompts.values.size(), 0, 1);
  columns.outputs = read_token_lists(file, "/output", traces, identity);
  const std::size_t outputs = columns.outputs.values.size();
  columns.output_loss_mask = read_bounded<std::uint8_t>(file, "/output/loss_mask", outputs, 0, 1);
  columns.in_loops = read_bounded<std::uint8_t>(file, "/output/in_loop", outputs, 0, 1);

  columns.entropies = file.read<float>("/scores/entropy", {outputs});
  columns.tail_masses = file.read<float>("/scores/tail_mass", {outputs});
  if (identity.top_k == 0) return columns;
  const Dims scores = {outputs, static_cast<std::uint64_t>(identity.top_k)};
  columns.top_ids = read_tokens(file, "/scores/top_ids", scores, identity);
  columns.top_log_probs = file.read<float>("/scores/top_log_probs", scores);
  return columns;
}

}  // namespace outrider::data
