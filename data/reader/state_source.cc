#include "data/reader/state_source.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "data/reader/made_by.h"
#include "data/store/shard_format.h"
#include "runtime/base/error.h"
#include "runtime/engine/forward_text.h"

namespace outrider::data {
namespace {

class Recomputed : public StateSource {
 public:
  Recomputed(engine::Engine& target, std::vector<int> layers)
      : target_(target), layers_(std::move(layers)) {}

  std::vector<LayerStates> states(const ShardReader&, std::size_t, const Trace& trace) override {
    std::vector<Token> tokens = trace.prompt_tokens;
    tokens.insert(tokens.end(), trace.output_tokens.begin(), trace.output_tokens.end() - 1);
    std::vector<LayerStates> all;
    for (const int layer : layers_) all.push_back({layer, {}});
    engine::forward_text(target_, tokens, {.request = {.layers = layers_}},
                         [&](const engine::Pass& pass, int) { keep_states(pass, all); });
    return all;
  }

 private:
  static void keep_states(const engine::Pass& pass, std::vector<LayerStates>& all) {
    for (LayerStates& layer : all) {
      for (int row = 0; row < static_cast<int>(pass.rows.size()); ++row) {
        const auto state = pass.observed.state(layer.layer, row);
        std::transform(state.begin(), state.end(), std::back_inserter(layer.values),
                       float_to_bfloat16);
      }
    }
  }

  engine::Engine& target_;
  std::vector<int> layers_;
};

class Stored : public StateSource {
 public:
  explicit Stored(std::vector<int> layers) : layers_(std::move(layers)) {}

  std::vector<LayerStates> states(const ShardReader& shard, std::size_t i,
                                  const Trace& /*trace*/) override {
    std::vector<LayerStates> all;
    for (const int layer : layers_) all.push_back({layer, shard.states(i, layer)});
    return all;
  }

 private:
  std::vector<int> layers_;
};

bool has_layer(const TraceStore& store, int layer) {
  const std::vector<int>& kept = store.identity().layers;
  return std::find(kept.begin(), kept.end(), layer) != kept.end();
}

}  // namespace

std::unique_ptr<StateSource> stored_states(const TraceStore& store, std::vector<int> layers) {
  for (const int layer : layers)
    if (!has_layer(store, layer))
      throw InputError(fmt::format("{}: expected stored states at {}, found none",
                                   store.folder().string(), states_path(layer)));
  return std::make_unique<Stored>(std::move(layers));
}

bool has_states(const TraceStore& store, const std::vector<int>& layers) {
  return std::all_of(layers.begin(), layers.end(),
                     [&](int layer) { return has_layer(store, layer); });
}

std::unique_ptr<StateSource> recomputed_states(const TraceStore& store, inference::Target& target,
                                               std::vector<int> layers) {
  check_made_by(store, target);
  return std::make_unique<Recomputed>(target.engine(), std::move(layers));
}

}  // namespace outrider::data
