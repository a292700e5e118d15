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

std::string in_layer(const char* what, std::size_t layer) {
  return fmt::format("the {} of layer {}", what, layer + 1);
}

}  // namespace

TapRequest request_of_all(const model::ModelConfig& config) {
  TapRequest request;
  for (int l = 0; l <= config.layers; ++l) request.layers.push_back(l);
  request.layers.push_back(kFinalNorm);
  for (int l = 1; l <= config.layers; ++l)
    for (int head = 0; head < config.heads; ++head) request.heads.push_back({l, head});
  request.best_keys = true;
  return request;
}

RowBits bits_of(const Pass& pass, int row, int slot, std::optional<int> logits,
                const model::ModelConfig& config) {
  const Observation& observed = pass.observed;
  const int sequence = pass.rows[static_cast<std::size_t>(row)].sequence;
  const KvCache& cache = *pass.sequences[static_cast<std::size_t>(sequence)];
  const auto state = [&](int layer) { return hash(observed.state(layer, row)); };
  const std::size_t heads = static_cast<std::size_t>(config.heads);
  RowBits bits;
  bits.embedding = state(0);
  bits.final_norm = state(kFinalNorm);
  for (int l = 0; l < config.layers; ++l) {
    std::vector<float> queries;
    std::vector<Softmax> softmax;
    for (int head = 0; head < config.heads; ++head) {
      const auto query = observed.query(row, {l + 1, head});
      queries.insert(queries.end(), query.begin(), query.end());
      softmax.push_back(observed.softmax(row, {l + 1, head}));
    }
    const auto best_keys = observed.best_keys(row).subspan(static_cast<std::size_t>(l) * heads);
    bits.layers.push_back({hash(cache.key_bytes(l, slot)), hash(cache.value_bytes(l, slot)),
                           hash(std::span<const float>(queries)),
                           hash(std::span<const Softmax>(softmax)), hash(best_keys.first(heads)),
                           state(l + 1)});
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
