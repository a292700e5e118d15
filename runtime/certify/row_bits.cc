#include "runtime/certify/row_bits.h"

#include <fmt/core.h>
#include <xxhash.h>

#include <algorithm>
#include <span>

namespace outrider::certify {
namespace {

template <typename T>
Bits hash(std::span<const T> numbers) {
  return std::max<Bits>(1, XXH3_64bits(numbers.data(), numbers.size_bytes()));
}

Bits hash(const std::vector<std::uint8_t>& bytes) {
  return hash(std::span<const std::uint8_t>(bytes));
}

bool differ(Bits expected, Bits found) { return expected != 0 && found != 0 && expected != found; }

std::string in_layer(const char* what, std::size_t layer) {
  return fmt::format("the {} of layer {}", what, layer + 1);
}

/// The first value of a head of this layer that differs, among those selected by `parts`.
template <typename Part>
bool heads_differ(const RowBits::Layer& expected, const RowBits::Layer& found, Part part) {
  for (std::size_t h = 0; h < expected.heads.size(); ++h)
    if (differ(expected.heads[h].*part, found.heads[h].*part)) return true;
  return false;
}

std::vector<int> positions_asked(int own) {
  std::vector<int> positions;
  for (int p = 0; p <= own; ++p)
    if ((3 * p + own) % 5 == 0 || p == own) positions.push_back(p);
  return positions;
}

}  // namespace

engine::TapRequest request_of_all(const model::ModelConfig& config) {
  engine::TapRequest request;
  for (int l = 0; l <= config.layers; ++l) request.layers.push_back(l);
  request.layers.push_back(engine::kFinalNorm);
  for (int l = 1; l <= config.layers; ++l)
    for (int head = 0; head < config.heads; ++head) request.heads.push_back({l, head});
  request.best_keys = true;
  return request;
}

RowBits bits_of(const engine::Pass& pass, int row, int slot, const model::ModelConfig& config) {
  const engine::Observation& observed = pass.observed;
  const int sequence = pass.rows[static_cast<std::size_t>(row)].sequence;
  const engine::KvCache& cache = *pass.sequences[static_cast<std::size_t>(sequence)];
  const auto state = [&](int layer) {
    return observed.has_states(layer) ? hash(observed.state(layer, row)) : 0;
  };
  RowBits bits;
  bits.embedding = state(0);
  bits.final_norm = state(engine::kFinalNorm);
  for (int l = 0; l < config.layers; ++l) {
    RowBits::Layer layer = {.keys = hash(cache.key_bytes(l, slot)),
                            .values = hash(cache.value_bytes(l, slot)),
                            .output = state(l + 1)};
    for (int h = 0; h < config.heads; ++h) {
      const engine::Head head = {l + 1, h};
      RowBits::Head& of_head = layer.heads.emplace_back();
      if (observed.has_best_keys()) {
        const std::int32_t best = observed.best_key(row, head);
        of_head.best_key = hash(std::span(&best, 1));
      }
      if (!observed.has_attention(head)) continue;
      of_head.query = hash(observed.query(row, head));
      of_head.softmax = hash(std::span(&observed.softmax(row, head), 1));
    }
    bits.layers.push_back(std::move(layer));
  }
  const auto logits = pass.logits_of(row);
  if (!logits.empty()) bits.logits = hash(logits);
  return bits;
}

void add_attention(const engine::Pass& pass, int row, const model::ModelConfig& config,
                   RowBits& bits) {
  std::vector<engine::Head> heads;
  for (int l = 1; l <= config.layers; ++l)
    for (int h = 0; h < config.heads; ++h)
      if (pass.observed.has_attention({l, h})) heads.push_back({l, h});
  if (heads.empty()) return;
  const std::vector<int> positions = positions_asked(pass.observed.position(row));
  std::vector<float> weights;  // [heads, positions]
  pass.observed.attention(row, heads, positions, weights);
  auto of_head = std::span<const float>(weights);
  for (const auto [layer, head] : heads) {
    bits.layers[static_cast<std::size_t>(layer - 1)].heads[static_cast<std::size_t>(head)].weights =
        hash(of_head.first(positions.size()));
    of_head = of_head.subspan(positions.size());
  }
}

std::string first_difference(const RowBits& expected, const RowBits& found) {
  if (differ(expected.embedding, found.embedding)) return "the embedding";
  for (std::size_t l = 0; l < std::min(expected.layers.size(), found.layers.size()); ++l) {
    const RowBits::Layer& a = expected.layers[l];
    const RowBits::Layer& b = found.layers[l];
    if (differ(a.keys, b.keys)) return in_layer("keys", l);
    if (differ(a.values, b.values)) return in_layer("values", l);
    if (heads_differ(a, b, &RowBits::Head::query)) return in_layer("queries", l);
    if (heads_differ(a, b, &RowBits::Head::softmax) || heads_differ(a, b, &RowBits::Head::best_key))
      return in_layer("attention", l);
    if (heads_differ(a, b, &RowBits::Head::weights)) return in_layer("attention weights", l);
    if (differ(a.output, b.output)) return in_layer("output", l);
  }
  if (differ(expected.final_norm, found.final_norm)) return "the state after the final norm";
  if (differ(expected.logits, found.logits)) return "the logits";
  if (differ(expected.scores, found.scores)) return "the scores of the logits";
  return {};
}

std::string first_difference(const RowBits& expected, const engine::KvCache& cache, int slot) {
  for (std::size_t l = 0; l < expected.layers.size(); ++l) {
    const int layer = static_cast<int>(l);
    if (expected.layers[l].keys != hash(cache.key_bytes(layer, slot))) return in_layer("keys", l);
    if (expected.layers[l].values != hash(cache.value_bytes(layer, slot)))
      return in_layer("values", l);
  }
  return {};
}

}  // namespace outrider::certify
