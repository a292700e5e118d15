#include <fmt/core.h>

#include <algorithm>

#include "data/store/shard_columns.h"
#include "runtime/base/error.h"

namespace outrider::data {
namespace {

using hdf5::Dims;
using hdf5::Packing;

template <typename T>
void add(hdf5::Writer& file, const std::string& path, const std::vector<T>& values,
         std::uint64_t columns = 0) {
  const Dims dims = columns == 0 ? Dims{values.size()} : Dims{values.size() / columns, columns};
  file.add(path, dims, std::span<const T>(values), Packing::kPacked);
}

void add_tokens(hdf5::Writer& file, const std::string& path, const std::vector<Token>& tokens,
                const StoreIdentity& identity, std::uint64_t columns = 0) {
  if (!tokens_are_short(identity)) return add(file, path, tokens, columns);
  std::vector<std::uint16_t> narrow(tokens.size());
  std::transform(tokens.begin(), tokens.end(), narrow.begin(),
                 [](Token token) { return static_cast<std::uint16_t>(token); });
  add(file, path, narrow, columns);
}

/// Reads offsets of lists in `values` numbers: ascending from 0 to `values`.
std::vector<std::int64_t> read_offsets(const hdf5::Reader& file, const std::string& path,
                                       std::size_t lists, std::size_t values,
                                       std::int64_t least_length) {
  auto offsets = file.read<std::int64_t>(path, {lists + 1});
  if (offsets.front() != 0) {
    file.refuse(path, fmt::format("expected the first offset to be 0, found {}", offsets.front()));
  }
  for (std::size_t i = 0; i < lists; ++i) {
    // Both are checked against the end first, so that the difference cannot overflow.
    if (offsets[i + 1] >= 0 && offsets[i + 1] <= static_cast<std::int64_t>(values) &&
        offsets[i + 1] - offsets[i] >= least_length) {
      continue;
    }
    file.refuse(path, fmt::format("expected ascending offsets up to {}; offset {} is {} after {}",
                                  values, i + 1, offsets[i + 1], offsets[i]));
  }
  if (offsets.back() != static_cast<std::int64_t>(values)) {
    file.refuse(path,
                fmt::format("expected the last offset to be {}, the number of values, found {}",
                            values, offsets.back()));
  }
  return offsets;
}

std::vector<Token> read_tokens(const hdf5::Reader& file, const std::string& path, const Dims& dims,
                               const StoreIdentity& identity) {
  std::vector<Token> tokens;
  if (tokens_are_short(identity)) {
    const auto narrow = file.read<std::uint16_t>(path, dims);
    tokens.assign(narrow.begin(), narrow.end());
  } else {
    tokens = file.read<Token>(path, dims);
  }
  for (const Token token : tokens) {
    if (token >= 0 && token < identity.vocab) continue;
    file.refuse(
        path, fmt::format("expected token ids from 0 to {}, found {}", identity.vocab - 1, token));
  }
  return tokens;
}

Ragged<std::uint8_t> read_texts(const hdf5::Reader& file, const std::string& path,
                                std::size_t traces) {
  Ragged<std::uint8_t> texts;
  texts.values = file.read<std::uint8_t>(path + "/bytes", {hdf5::Reader::kAny});
  texts.offsets = read_offsets(file, path + "/offsets", traces, texts.values.size(), 0);
  return texts;
}

Ragged<Token> read_token_lists(const hdf5::Reader& file, const std::string& path,
                               std::size_t traces, const StoreIdentity& identity) {
  Ragged<Token> lists;
  lists.values = read_tokens(file, path + "/tokens", {hdf5::Reader::kAny}, identity);
  lists.offsets = read_offsets(file, path + "/offsets", traces, lists.values.size(), 1);
  return lists;
}

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
  add(file, "/trace/id/bytes", columns.ids.values);
  add(file, "/trace/id/offsets", columns.ids.offsets);
  add(file, "/trace/task/bytes", columns.tasks.values);
  add(file, "/trace/task/offsets", columns.tasks.offsets);
  add(file, "/trace/turn", columns.turns);
  add(file, "/trace/sample", columns.samples);
  add(file, "/trace/temperature", columns.temperatures);
  add(file, "/trace/sequence_seed", columns.sequence_seeds);
  add(file, "/trace/finish", columns.finishes);
  add_tokens(file, "/prompt/tokens", columns.prompts.values, identity);
  add(file, "/prompt/offsets", columns.prompts.offsets);
  add(file, "/prompt/loss_mask", columns.prompt_loss_mask);
  add_tokens(file, "/output/tokens", columns.outputs.values, identity);
  add(file, "/output/offsets", columns.outputs.offsets);
  add(file, "/output/loss_mask", columns.output_loss_mask);
  add(file, "/output/in_loop", columns.in_loops);
  add(file, "/scores/entropy", columns.entropies);
  add(file, "/scores/tail_mass", columns.tail_masses);
  if (identity.top_k == 0) return;
  const auto k = static_cast<std::uint64_t>(identity.top_k);
  add_tokens(file, "/scores/top_ids", columns.top_ids, identity, k);
  add(file, "/scores/top_log_probs", columns.top_log_probs, k);
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
