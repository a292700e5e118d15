#include <fmt/core.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/decode/decode_loop.h"
#include "runtime/draft/forwarding_drafter.h"
#include "runtime/draft/gsd/gsd_drafter.h"
#include "runtime/draft/parallelspec/parallelspec_drafter.h"
#include "tests/device_check/check.h"
#include "tests/draft/move_counting_engine.h"
#include "tests/support/tiny_llama.h"
#include "tests/support/tiny_parallelspec.h"

namespace outrider::device_check {
namespace {

using draft::ParallelSpecModel;
using draft::TokenTree;
using sampling::SamplerOptions;

constexpr int kPrompt = 20;

/// A node as it was drafted.
struct Node {
  Token token;
  int parent;
  float log_q;

  friend bool operator==(const Node&, const Node&) = default;
};

/// Drafts as another drafter, and notes what.
class Noting : public draft::ForwardingDrafter {
 public:
  Noting(std::unique_ptr<Drafter> drafter, std::vector<Node>& nodes)
      : ForwardingDrafter(std::move(drafter)), nodes_(nodes) {}

 protected:
  void fill(const draft::DraftContext& context, TokenTree& tree) override {
    ForwardingDrafter::fill(context, tree);
    for (int node = 1; node < tree.size(); ++node)
      nodes_.push_back({tree.token(node), tree.parent(node), tree.origin(node).log_q});
  }

 private:
  std::vector<Node>& nodes_;
};

struct Decoded {
  std::vector<Token> text;
  std::vector<Node> drafted;
  std::int64_t accepted = 0;

  friend bool operator==(const Decoded&, const Decoded&) = default;
};

Decoded decode(engine::Engine& engine, const SamplerOptions& options,
               std::unique_ptr<draft::Drafter> drafter, int tokens) {
  const int vocab = engine.config().vocab;
  std::vector<Token> prompt;
  for (int i = 0; i < kPrompt; ++i) prompt.push_back((7919 * i + 17) % vocab);
  Decoded decoded;
  Noting noting(std::move(drafter), decoded.drafted);
  const decode::DecodeResult result =
      decode::Decoder(engine, kPrompt + tokens)
          .decode(prompt, {options, vocab, 7}, &noting, {.max_new = tokens});
  decoded.text = result.tokens;
  decoded.accepted = result.stats.accepted;
  return decoded;
}

/// A drafter beside an engine of the target.
struct AheadWay {
  const char* name;
  std::function<std::unique_ptr<draft::Drafter>(const engine::Engine& target)> drafter;
};

/// The target drafts for itself, so that much is accepted.
std::unique_ptr<draft::Drafter> tree_of(const engine::Engine& target, const model::Model& model,
                                        int tau) {
  return std::make_unique<draft::GsdDrafter>(
      target.beside(model, {.for_drafts = true}),
      draft::GsdDrafterOptions{.steps = 4,
                               .depth = tau > 0 ? 6 : 0,
                               .children = 3,
                               .pruning = {0, 0, 0},
                               .nodes = 24,
                               .tau = tau,
                               .target_vocab = model.config.vocab});
}

}  // namespace

void check_ahead(Check& check) {
  const auto bytes = test::tiny_llama_gguf({.head_width = 32}, 1, model::WeightType::kQ4_1);
  const model::Model model = model::parse_model(bytes, "tiny");
  const auto eagle = std::make_shared<const ParallelSpecModel>(
      test::tiny_parallelspec(model, {.flavour = ParallelSpecModel::Flavour::kEagleAr}, 3));
  const std::vector<AheadWay> ways = {
      {"trees of tsd", [&](const engine::Engine& target) { return tree_of(target, model, 0); }},
      {"graphs of gsd", [&](const engine::Engine& target) { return tree_of(target, model, 1); }},
      {"chains of eagle-ar",
       [&](const engine::Engine& target) {
         return test::parallelspec_drafter(eagle, target, {.length = 6});
       }},
      {"trees of eagle-ar",
       [&](const engine::Engine& target) {
         return test::parallelspec_drafter(eagle, target, {.length = 5, .widths = {3, 2}});
       }},
      {"best nodes of eagle-ar", [&](const engine::Engine& target) {
         return test::parallelspec_drafter(eagle, target, {.length = 5, .best_nodes = 8});
       }}};
  const auto here =
      engine::make_engine(model, {.device = {engine::DeviceChoice::Kind::kCpu}, .threads = 1});
  const std::shared_ptr<engine::Engine> there = check.engine(model);
  const int tokens = check.settings.tiny ? 8 : 200;
  for (const AheadWay& way : ways)
    for (const double temperature : {0.0, 1.0}) {
      const SamplerOptions options = {.temperature = temperature};
      test::MoveCountingEngine moving(there);
      const Decoded found = decode(moving, options, way.drafter(*there), tokens),
                    expected = decode(*here, options, way.drafter(*here), tokens);
      const bool same = found == expected;
      check.found["ahead"].push_back({{"what", way.name},
                                      {"temperature", temperature},
                                      {"drafted", found.drafted.size()},
                                      {"accepted", found.accepted},
                                      {"moved", moving.moved},
                                      {"equal", same}});
      const std::string what = fmt::format("{} at T {}", way.name, temperature);
      if (!same) check.fail(fmt::format("ahead, {}: not the processor's", what));
      Check::say(fmt::format("ahead, {}: {} drafted, {} accepted, {} paths moved there{}", what,
                             found.drafted.size(), found.accepted, moving.moved,
                             same ? ", the processor's" : ""));
    }
}

}  // namespace outrider::device_check
