#include "data/score/draft_scorer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "data/score/draft_scores_group.h"
#include "data/store/group_writer.h"
#include "runtime/draft/model/model_drafter.h"
#include "runtime/draft/stop/make_stop_policy.h"
#include "tests/data/random_store.h"
#include "tests/support/shallow_model.h"
#include "tests/support/tiny_engine.h"

namespace outrider::data {
namespace {

class DraftScorerTest : public testing::Test {
 protected:
  Trace trace(double temperature, int output = 90) const {
    Trace made;
    made.prompt_tokens = test::random_tokens(30, vocab(), 1);
    made.output_tokens = test::random_tokens(output, vocab(), 2);
    made.temperature = temperature;
    made.sequence_seed = 5;
    return made;
  }
  int vocab() const { return target_.engine.config().vocab; }
  DraftScorer scorer(engine::Engine& draft, std::vector<Token> head,
                     const sampling::SamplerOptions& sampler) {
    return {target_.engine, draft, {std::move(head), draft.config().vocab, vocab()}, sampler};
  }

  /// softmax of a model's logits after the tokens before an output token
  std::vector<double> probabilities(engine::Engine& engine, const Trace& trace,
                                    std::size_t output) {
    std::vector<Token> text = trace.prompt_tokens;
    for (std::size_t i = 0; i < output; ++i) text.push_back(trace.output_tokens[i]);
    const auto cache = engine.make_cache(200);
    engine::Pass pass;
    pass.sequences = {cache.get()};
    pass.add_chain(0, text, true);
    engine.forward(pass);
    std::vector<double> all;
    double sum = 0;
    for (const float z : pass.logits_of(static_cast<int>(text.size()) - 1)) {
      all.push_back(std::exp(static_cast<double>(z)));
      sum += all.back();
    }
    for (double& one : all) one /= sum;
    return all;
  }

  test::TinyEngine target_{model::WeightType::kQ4_1, 1, 1};
  std::vector<Token> head_ = test::every_token(vocab(), 2, 3);
  model::Model shallow_ = test::shallow_model(target_.model, std::vector<int>{1}, head_);
  std::unique_ptr<engine::Engine> draft_ = engine::make_engine(shallow_, {.threads = 1});
};

TEST_F(DraftScorerTest, ScoresAreThoseOfBothModelsDistributions) {
  const Trace made = trace(1);
  const DraftScores scores = scorer(*draft_, head_, {}).score(made);
  for (const std::size_t output : {0U, 1U, 33U, 34U, 35U, 89U}) {
    const auto p = probabilities(target_.engine, made, output);
    auto q = probabilities(*draft_, made, output);
    double overlap = 0, entropy = 0;
    for (std::size_t row = 0; row < q.size(); ++row) {
      overlap += std::min(q[row], p[static_cast<std::size_t>(head_[row])]);
      entropy -= q[row] * std::log(q[row]);
    }
    EXPECT_NEAR(scores.distances[output], 1 - overlap, 1e-5) << output;
    EXPECT_EQ(scores.sampled_distances[output], scores.distances[output]);
    EXPECT_GT(scores.coupled[output], 0);
    EXPECT_LE(scores.coupled[output], 1 - scores.sampled_distances[output] + 1e-6F);
    EXPECT_NEAR(scores.entropies[output], entropy, 1e-5);
    const auto choice = std::lower_bound(head_.begin(), head_.end(), scores.choices[output]);
    ASSERT_EQ(*choice, scores.choices[output]) << "one that can be drafted";
    const double of_choice = q[static_cast<std::size_t>(choice - head_.begin())];
    EXPECT_NEAR(scores.log_q[output], std::log(of_choice), 1e-5);
    EXPECT_NEAR(scores.kept[output],
                std::min(1.0, p[static_cast<std::size_t>(*choice)] / of_choice), 1e-4);
    std::sort(q.begin(), q.end(), std::greater<>());
    for (std::size_t i = 0; i < DraftScores::kTop; ++i)
      EXPECT_NEAR(scores.top[output * DraftScores::kTop + i], q[i], 1e-5);
  }
}

TEST_F(DraftScorerTest, ChoicesAreWhatDecodingDrafts) {
  const std::shared_ptr<engine::Engine> shared(draft_.get(), [](engine::Engine*) {});
  for (const sampling::SamplerOptions& options :
       {sampling::SamplerOptions{.temperature = 1}, test::every_sampler_option()}) {
    const Trace made = trace(options.temperature, 12);
    const DraftScores scores = scorer(*draft_, head_, options).score(made);
    std::vector<Token> text = made.prompt_tokens;
    sampling::TokenCounts counts(text);
    for (std::size_t output = 0; output < 12; ++output) {
      draft::ModelDrafter drafter(shared, draft::make_stop_policy({"static", 1, 0}),
                                  {.longest = 1, .target_vocab = vocab(), .head_tokens = head_});
      draft::TokenTree tree(text.back());
      drafter.draft({text, {options, made.sequence_seed, counts}}, tree);
      EXPECT_EQ(scores.choices[output], tree.token(1));
      EXPECT_EQ(scores.log_q[output], tree.origin(1).log_q);
      text.push_back(made.output_tokens[output]);
      counts.add(text.back());
    }
  }
}

TEST_F(DraftScorerTest, AtTemperatureZeroAChoiceIsTheSameOrNot) {
  const Trace made = trace(0);
  const DraftScores scores = scorer(*draft_, head_, {}).score(made);
  int same = 0;
  for (std::size_t output = 0; output < 90; ++output) {
    const auto p = probabilities(target_.engine, made, output);
    const auto best = std::max_element(p.begin(), p.end()) - p.begin();
    const float agrees = scores.choices[output] == best;
    EXPECT_EQ(scores.coupled[output], agrees);
    EXPECT_EQ(scores.kept[output], agrees);
    EXPECT_EQ(scores.sampled_distances[output], 1 - agrees);
    EXPECT_GT(scores.distances[output], 0);
    same += agrees > 0;
  }
  EXPECT_GT(same, 0);
  EXPECT_LT(same, 90);
}

TEST_F(DraftScorerTest, TheTargetItselfIsAlwaysTheSame) {
  const sampling::SamplerOptions sampler = test::every_sampler_option();
  const DraftScores scores = scorer(target_.engine, {}, sampler).score(trace(0.8, 20));
  for (std::size_t output = 0; output < 20; ++output) {
    EXPECT_NEAR(scores.coupled[output], 1, 1e-6);
    EXPECT_NEAR(scores.distances[output], 0, 1e-6);
    EXPECT_NEAR(scores.sampled_distances[output], 0, 1e-6);
    EXPECT_NEAR(scores.kept[output], 1, 1e-6);
  }
}

TEST_F(DraftScorerTest, BeyondTheContextNothingIsDrawn) {
  shallow_.config.context = 50;
  draft_ = engine::make_engine(shallow_, {.threads = 1});
  const DraftScores scores = scorer(*draft_, head_, {}).score(trace(0));
  EXPECT_GE(scores.choices[20], 0);  // after 50 tokens
  EXPECT_EQ(scores.choices[21], -1);
  EXPECT_EQ(scores.entropies[21], 0);
}

TEST(DraftGroup, GivesBackWhatWasWrittenByDraftModel) {
  const test::RandomStore made;
  const TraceStore store(made.path);
  const GroupSpec spec = draft_group("0123456789abcdef", "int8");
  EXPECT_EQ(draft_of(spec), "0123456789abcdef");
  EXPECT_NE(draft_group("0123456789abcdee", "int8").options, spec.options);
  EXPECT_NE(draft_group("1123456789abcdef", "int8").name, spec.name);
  GroupWriter writer(store, spec);
  DraftScores written;
  for (const int shard : writer.missing()) {
    DraftColumns columns;
    DraftScores some;
    some.resize(static_cast<std::size_t>(store.manifest().shards.at(shard).output_tokens));
    for (std::size_t i = 0; i < some.choices.size(); ++i) {
      const auto number = static_cast<float>(i);
      some.choices[i] = static_cast<std::int32_t>(i);
      some.log_q[i] = -number;
      some.leads[i] = number / 7;
      some.entropies[i] = number / 2;
      some.distances[i] = number / 3;
      some.sampled_distances[i] = number / 4;
      some.kept[i] = number / 8;
      some.coupled[i] = number / 5;
      some.top[i * DraftScores::kTop + 9] = number / 6;
    }
    columns.add(some);
    writer.write(shard, columns.bytes());
    if (shard == 0) written = some;
  }
  const TraceGroup group(store, spec.name);
  EXPECT_EQ(draft_of(group.spec()), "0123456789abcdef");
  const DraftScores found = read_draft_scores(group, 0);
  EXPECT_EQ(found.choices, written.choices);
  EXPECT_EQ(found.log_q, written.log_q);
  EXPECT_EQ(found.leads, written.leads);
  EXPECT_EQ(found.top, written.top);
  EXPECT_EQ(found.entropies, written.entropies);
  EXPECT_EQ(found.distances, written.distances);
  EXPECT_EQ(found.sampled_distances, written.sampled_distances);
  EXPECT_EQ(found.kept, written.kept);
  EXPECT_EQ(found.coupled, written.coupled);
}

}  // namespace
}  // namespace outrider::data
