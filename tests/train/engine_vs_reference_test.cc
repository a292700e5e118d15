#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <string>

#include "runtime/engine/engine.h"
#include "tests/support/source_path.h"
#include "tests/support/tiny_llama.h"
#include "train/draft/draft_objective.h"
#include "train/reference/reference_model.h"

namespace outrider::train {
namespace {

using engine::Pass;
using engine::Row;

// Tolerances between two float32 implementations: divergence in nats, log-probabilities of likely tokens,
// and the margin above which the best token must be the same.
constexpr double kMeanKl = 1e-6;
constexpr double kWorstKl = 1e-4;
constexpr double kLogProb = 2e-3;
constexpr double kLikely = 1e-4;
constexpr double kMargin = 2e-3;
constexpr double kState = 1e-4;  // relative to a state's norm
constexpr double kShare = 1e-4;  // of a key in a row's attention

at::Tensor tensor_of(std::span<const float> numbers) {
  return at::from_blob(const_cast<float*>(numbers.data()), {std::ssize(numbers)}, at::kFloat)
      .clone();
}

struct Rows {
  std::vector<Token> tokens;
  std::vector<int> parents;
};

Rows random_tree(int size, int branching, int vocab, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Rows rows;
  for (int i = 0; i < size; ++i) {
    rows.tokens.push_back(static_cast<Token>(random() % static_cast<std::uint64_t>(vocab)));
    const int back = 1 + static_cast<int>(random() % static_cast<std::uint64_t>(branching));
    rows.parents.push_back(i == 0 ? -1 : std::max(0, i - back));
  }
  return rows;
}

Pass pass_of(const Rows& rows, engine::KvCache& cache, const engine::TapRequest& request) {
  Pass pass;
  pass.sequences = {&cache};
  pass.request = request;
  for (std::size_t i = 0; i < rows.tokens.size(); ++i)
    pass.rows.push_back(
        {rows.tokens[i], 0, rows.parents[i] < 0 ? Row::kCommitted : rows.parents[i], true});
  return pass;
}

void expect_same_distributions(const Pass& pass, const at::Tensor& reference_logits) {
  double total = 0;
  const std::int64_t rows = reference_logits.size(0);
  for (std::int64_t i = 0; i < rows; ++i) {
    const at::Tensor expected = reference_logits[i].to(at::kDouble).log_softmax(-1);
    const at::Tensor found =
        tensor_of(pass.row_logits(static_cast<int>(i))).to(at::kDouble).log_softmax(-1);
    const double kl = (expected.exp() * (expected - found)).sum().item<double>();
    total += kl;
    EXPECT_LT(kl, kWorstKl) << "row " << i;
    const at::Tensor likely = expected.exp() > kLikely;
    EXPECT_LT((expected - found).abs().masked_select(likely).max().item<double>(), kLogProb)
        << "row " << i;
    const auto best = expected.topk(2);
    if ((std::get<0>(best)[0] - std::get<0>(best)[1]).item<double>() > kMargin) {
      EXPECT_EQ(found.argmax().item<std::int64_t>(), std::get<1>(best)[0].item<std::int64_t>())
          << "row " << i;
    }
  }
  EXPECT_LT(total / static_cast<double>(rows), kMeanKl);
}

/// Every state and the attention of one head in three of each layer.
engine::TapRequest request_of(const model::ModelConfig& config) {
  engine::TapRequest request;
  for (int l = 0; l <= config.layers; ++l) request.layers.push_back(l);
  request.layers.push_back(engine::kFinalNorm);
  for (int l = 1; l <= config.layers; ++l)
    for (int h = l % 3; h < config.heads; h += 3) request.heads.push_back({l, h});
  request.best_keys = true;
  return request;
}

/// Per row, the norm of the difference relative to the norm of the state.
void expect_same_states(const Pass& pass, const ReferenceOutput& expected) {
  for (const int l : pass.request.layers) {
    const at::Tensor& states = l == engine::kFinalNorm
                                   ? expected.final_norm
                                   : expected.states[static_cast<std::size_t>(l)];
    std::vector<float> found;
    for (int row = 0; row < static_cast<int>(pass.rows.size()); ++row) {
      const auto state = pass.observed.state(l, row);
      found.insert(found.end(), state.begin(), state.end());
    }
    const at::Tensor difference = tensor_of(found).view_as(states) - states;
    const at::Tensor relative = difference.norm(2, -1) / states.norm(2, -1);
    EXPECT_LT(relative.max().item<double>(), kState) << "layer " << l;
  }
}

void expect_same_best_keys(const Pass& pass, const ReferenceRows& rows,
                           const ReferenceOutput& expected) {
  const std::int64_t count = rows.tokens.size(0);
  std::vector<std::int32_t> all;
  for (int row = 0; row < count; ++row) {
    const auto of_row = pass.observed.best_keys(row);
    all.insert(all.end(), of_row.begin(), of_row.end());
  }
  const at::Tensor best = at::tensor(all).view({count, std::ssize(expected.attention), -1});
  for (const auto [layer, head] : pass.request.heads) {
    const auto [shares, keys] =
        expected.attention[static_cast<std::size_t>(layer - 1)][head].topk(2);
    const at::Tensor clear = shares.select(1, 0) - shares.select(1, 1) > 2 * kShare;
    const at::Tensor wanted = rows.positions.index_select(0, keys.select(1, 0));
    const at::Tensor wrong = best.select(1, layer - 1).select(1, head).ne(wanted);
    EXPECT_FALSE(wrong.logical_and(clear).any().item<bool>())
        << "layer " << layer << ", head " << head;
  }
}

/// The rows on the path down to `row`.
std::vector<int> path_to(const Rows& rows, int row) {
  std::vector<int> path;
  for (; row >= 0; row = rows.parents[static_cast<std::size_t>(row)])
    path.insert(path.begin(), row);
  return path;
}

/// The attention of a path's committed rows to all positions up to their own.
void expect_same_attention(const Pass& pass, const std::vector<int>& path,
                           const ReferenceOutput& expected) {
  const std::vector<engine::Head>& heads = pass.request.heads;
  const at::Tensor columns = at::tensor(path).to(at::kLong);
  std::vector<int> positions;
  for (const int row : path) {
    positions.push_back(static_cast<int>(positions.size()));
    std::vector<float> attention;
    pass.observed.attention(row, heads, positions, attention);
    const at::Tensor found = tensor_of(attention).view({std::ssize(heads), std::ssize(positions)});
    const at::Tensor seen = columns.slice(0, 0, std::ssize(positions));
    for (std::size_t t = 0; t < heads.size(); ++t) {
      const auto [layer, head] = heads[t];
      const at::Tensor wanted =
          expected.attention[static_cast<std::size_t>(layer - 1)][head][row].index_select(0, seen);
      EXPECT_LT((found[static_cast<std::int64_t>(t)] - wanted).abs().max().item<double>(), kShare)
          << "row " << row << ", layer " << layer << ", head " << head;
    }
  }
}

void compare(const model::Model& model, const std::vector<Rows>& passes) {
  const auto engine =
      engine::make_engine(model, {.numerics = engine::Numerics::kF32, .threads = 2});
  const ReferenceModel reference(model, at::kFloat);
  for (const Rows& rows : passes) {
    const int count = static_cast<int>(rows.tokens.size());
    const auto cache = engine->make_cache(count);
    Pass pass = pass_of(rows, *cache, request_of(model.config));
    engine->forward(pass);
    const ReferenceRows reference_rows = tree_rows(rows.tokens, rows.parents);
    const ReferenceOutput expected = reference.forward(reference_rows, /*keep_attention=*/true);
    expect_same_distributions(pass, expected.logits);
    expect_same_states(pass, expected);
    expect_same_best_keys(pass, reference_rows, expected);
    for (const int last : {count - 1, count - 2}) {
      const std::vector<int> path = path_to(rows, last);
      cache->commit(path);
      expect_same_attention(pass, path, expected);
      cache->truncate(0);  // the commit has overwritten rows of the other path
      engine->forward(pass);
    }
  }
}

/// Three texts of the golden logits, concatenated: words, not noise, so that heads attend far back.
Rows words() {
  std::ifstream file(test::source_path("tests/golden/logits.json"));
  const auto golden = nlohmann::json::parse(file);
  Rows rows;
  for (std::size_t n = 0; n < 3; ++n)
    for (const Token token : golden["texts"].at(n)["tokens"]) {
      rows.parents.push_back(static_cast<int>(rows.tokens.size()) - 1);
      rows.tokens.push_back(token);
    }
  return rows;
}

TEST(Engine, GivesTheReferencesLogitsStatesAndAttentionOnTheRealModel) {
  if (!std::filesystem::exists(test::default_model()))
    GTEST_SKIP() << test::default_model() << " is absent; scripts/setup downloads it";
  const model::Model model = model::load_model(test::default_model());
  compare(model, {words(), random_tree(120, 6, model.config.vocab, 2)});
}

TEST(Engine, GivesTheReferencesLogitsStatesAndAttentionOnTinyModels) {
  test::TinyShape shape = {
      .layers = 3, .width = 64, .heads = 4, .kv_heads = 2, .head_width = 32, .ffn_width = 96};
  for (const bool tied : {false, true}) {
    shape.tied = tied;
    for (const auto type : {model::WeightType::kF32, model::WeightType::kQ4_1}) {
      const auto bytes = test::tiny_llama_gguf(shape, 5, type);
      const model::Model model = model::parse_model(bytes, "tiny");
      compare(model, {random_tree(200, 1, model.config.vocab, 3),
                      random_tree(60, 5, model.config.vocab, 4)});
    }
  }
}

TEST(Engine, GivesTheReferencesLogitsStatesAndAttentionOnFolders) {
  const std::string folders = test::source_path("tests/golden/hf/");
  for (const char* name :
       {"llama_sharded", "llama3_scaled", "llama_linear", "mistral_window", "qwen2", "qwen2_window",
        "qwen3", "phi3", "phi3_partial", "phi3_longrope", "llama_heads_of_48", "qwen3_heads_of_80",
        "phi3_heads_of_80", "gemma2", "gemma3", "granite", "smollm3", "qwen2_yarn"}) {
    SCOPED_TRACE(name);
    const model::Model model = model::load_model(folders + name);
    compare(model, {random_tree(100, 1, model.config.vocab, 5),
                    random_tree(60, 5, model.config.vocab, 6)});
  }
}

/// Draft models as they are served, of targets that are no Llamas.
TEST(Engine, GivesTheReferencesLogitsStatesAndAttentionOnDraftModels) {
  const std::string folders = test::source_path("tests/golden/hf/");
  for (const char* name : {"bloom", "opt", "gpt_bigcode", "mixtral", "gpt_oss"}) {
    SCOPED_TRACE(name);
    const model::Model target = model::load_model(folders + name);
    std::vector<Token> all(static_cast<std::size_t>(target.config.vocab));
    std::iota(all.begin(), all.end(), 0);
    const model::Model draft =
        DraftObjective(target, all, {.layers = {1, 2}}, at::kFloat).to_model();
    compare(draft, {random_tree(60, 5, draft.config.vocab, 6)});
  }
}

}  // namespace
}  // namespace outrider::train
