#include "runtime/certify/row_bits.h"

#include <fmt/core.h>
#include <xxhash.h>

#include <span>

namespace outrider::engine {
namespace {

template <typename T>
std::uint64_t hash(std::span<const T> numbers) {
  return XXH3_64bits(numbers.data(), numbers.size_bytes());
}

std::uint64_t hash(const std::vector<std::uint8_t>& bytes) {
  return hash(std::span<const std::uint8_t>(bytes));
}

/// Row `row` of [rows, width].
template <typename T>
std::span<const T> row_of(const std::vector<T>& numbers, int row, int width) {
  return std::span<const T>(numbers).subspan(
      static_cast<std::size_t>(row) * static_cast<std::size_t>(width),
      static_cast<std::size_t>(width));
}

std::string in_layer(const char* what, std::size_t layer) {
  return fmt::format("the {} of layer {}", what, layer + 1);
}

}  // namespace

Taps taps_of_all(const model::ModelConfig& config) {
  Taps taps;
  for (int l = 0; l <= config.layers; ++l) taps.layers.push_back(l);
  taps.layers.push_back(Taps::kFinalNorm);
  for (int l = 1; l <= config.layers; ++l)
    for (int head = 0; head < config.heads; ++head) taps.heads.push_back({l, head});
  taps.best_keys = true;
  return taps;
}

RowBits bits_of(const Pass& pass, int row, int slot, std::optional<int> logits,
                const model::ModelConfig& config) {
  const Taps& taps = *pass.taps;
  const int sequence = pass.rows[static_cast<std::size_t>(row)].sequence;
  const KvCache& cache = *pass.sequences[static_cast<std::size_t>(sequence)];
  const auto state = [&](std::size_t asked) {
    return hash(row_of(taps.states[asked], row, config.width));
  };
  RowBits bits;
  bits.embedding = state(0);
  bits.final_norm = state(taps.states.size() - 1);
  for (int l = 0; l < config.layers; ++l) {
    const int place = row * config.layers + l;
    bits.layers.push_back({hash(cache.key_bytes(l, slot)), hash(cache.value_bytes(l, slot)),
                           hash(row_of(taps.queries, place, config.heads * config.head_width)),
                           hash(row_of(taps.softmax, place, config.heads)),
                           hash(row_of(taps.best_key, place, config.heads)),
                           state(static_cast<std::size_t>(l) + 1)});
  }
  if (logits) bits.logits = hash(pass.row_logits(*logits));
  return bits;
}

std::string first_difference(const RowBits& expected, const RowBits& found) {
  if (expected.embedding != found.embedding) return "the embedding";
  for (std::size_t l = 0; l < expected.layers.size(); ++l) {
    const RowBits::Layer& a = expected.layers[l];
    const RowBits::Layer& b = found.layers[l];
    if (a.keys != b.keys) return in_layer("keys", l);
    if (a.values != b.values) return in_layer("values", l);
    if (a.queries != b.queries) return in_layer("queries", l);
    if (a.softmax != b.softmax || a.attention != b.attention) return in_layer("attention", l);
    if (a.output != b.output) return in_layer("output", l);
  }
  if (expected.final_norm != found.final_norm) return "the state after the final norm";
  if (expected.logits && found.logits && *expected.logits != *found.logits) return "the logits";
  return {};
}

std::string first_difference(const RowBits& expected, const KvCache& cache, int slot) {
  for (std::size_t l = 0; l < expected.layers.size(); ++l) {
    const int layer = static_cast<int>(l);
    if (expected.layers[l].keys != hash(cache.key_bytes(layer, slot))) return in_layer("keys", l);
    if (expected.layers[l].values != hash(cache.value_bytes(layer, slot)))
      return in_layer("values", l);
  }
  return {};
}

}  // namespace outrider::engine
