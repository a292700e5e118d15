#include "runtime/methods/draft_head.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/artifacts/pair_counts_group.h"
#include "runtime/engine/engine.h"
#include "runtime/methods/loaded_draft.h"
#include "runtime/methods/ssd.h"
#include "runtime/methods/trained_disco.h"
#include "runtime/tokenizer/end_tokens.h"
#include "tests/methods/calibrated_target.h"
#include "tests/support/expect_input_error.h"

namespace outrider::methods {
namespace {

/// A target whose draft model is a file: its own.
class DraftHead : public testing::Test {
 protected:
  const model::Model& model() { return target_.target().model(); }
  std::string file() { return model().path.string(); }

  /// What `calibrate pair-counts` would have counted: tokens 5, 6 and 7 so often, twice and once.
  void count(int most = 300) {
    target_.write(artifacts::kPairCounts, [&](hdf5::Writer& to, const std::string& group) {
      std::vector<std::int32_t> occurrences(static_cast<std::size_t>(model().config.vocab));
      occurrences[5] = most;
      occurrences[6] = 2;
      occurrences[7] = 1;
      artifacts::write_pair_counts({std::move(occurrences), {}}, to, group);
    });
  }

  std::shared_ptr<const LoadedDraft> load(std::optional<int> vocab, std::string draft = {}) {
    if (draft.empty()) draft = file();
    std::string artifacts = target_.artifacts();
    std::optional<int> threads;
    return load_draft(target_.for_methods(), draft, artifacts, threads, vocab);
  }

  std::vector<Token> with_ends(std::vector<Token> tokens) {
    for (const Token end : text::end_tokens(model().tokenizer)) tokens.push_back(end);
    std::sort(tokens.begin(), tokens.end());
    tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
    return tokens;
  }
  std::size_t ends() { return with_ends({}).size(); }

  test::CalibratedTarget target_;
};

TEST_F(DraftHead, HasAllTokensWhereNothingWasCounted) {
  EXPECT_TRUE(load({})->model->head_tokens.empty());
  test::expect_input_error([&] { load(8); },
                           "--draft-vocab: found no artifact file with /pair_counts",
                           "`calibrate pair-counts` makes it");
}

TEST_F(DraftHead, HasTheTokensOfTheTargetsAnswers) {
  count();
  EXPECT_EQ(load({})->model->head_tokens, with_ends({5, 6, 7}));
  EXPECT_EQ(load(static_cast<int>(ends()) + 2)->model->head_tokens, with_ends({5, 6}))
      << "the most frequent ones";
  EXPECT_EQ(load(1)->model->head_tokens, with_ends({})) << "end tokens in any case";
  EXPECT_TRUE(load(0)->model->head_tokens.empty());
  EXPECT_TRUE(load(1 << 20)->model->head_tokens.empty()) << "all there are";
}

TEST_F(DraftHead, HasAllTokensWhereTooFewWereCounted) {
  count(1);
  EXPECT_TRUE(load({})->model->head_tokens.empty()) << "two of four occurred once";
  EXPECT_FALSE(load(static_cast<int>(ends()) + 2)->model->head_tokens.empty());
  count(90);
  EXPECT_FALSE(load({})->model->head_tokens.empty())
      << "one of 93, for a head that is a large part";
}

TEST_F(DraftHead, GivesTheLogitsOfTheWholeOne) {
  count();
  const auto trimmed = load({}), whole = load(0);
  const std::vector<Token> text = {5, 6, 9};
  const auto logits = [&](const LoadedDraft& draft) {
    const auto cache = draft.engine->make_cache(8);
    engine::Pass pass;
    pass.sequences = {cache.get()};
    pass.add_chain(0, text, true);
    draft.engine->forward(pass);
    const auto row = pass.row_logits(2);
    return std::vector<float>(row.begin(), row.end());
  };
  const std::vector<float> some = logits(*trimmed), all = logits(*whole);
  ASSERT_EQ(some.size(), trimmed->model->head_tokens.size());
  for (std::size_t i = 0; i < some.size(); ++i)
    EXPECT_EQ(some[i], all[static_cast<std::size_t>(trimmed->model->head_tokens[i])]);
}

TEST_F(DraftHead, LeavesTextsAsTheyAre) {
  count();
  const std::string asked = "abcabcabc";
  Ssd ssd;
  ssd.settings.draft = file();
  ssd.settings.artifacts = target_.artifacts();
  for (const std::optional<int> vocab : {std::optional<int>(), std::optional<int>(0)}) {
    ssd.settings.draft_vocab = vocab;
    EXPECT_EQ(target_.answer(ssd.prepare(target_.for_methods()).new_drafter(), asked),
              target_.answer(nullptr, asked));
  }
}

TEST_F(DraftHead, IsPartOfWhatADraftModelIs) {
  count();
  EXPECT_NE(draft_identity(file(), *load({})->model), draft_identity(file(), *load(0)->model));
  EXPECT_EQ(draft_identity(file(), *load(0)->model), draft_identity(file(), model()));
}

TEST_F(DraftHead, OfArtifactsIsAsItWasTrained) {
  count();
  EXPECT_EQ(load({}, target_.artifacts())->model->head_tokens,
            test::every_token(model().config.vocab, 1, 2));
  test::expect_input_error([&] { load(8, target_.artifacts()); },
                           "--draft-vocab: expected none with ", "whose head was trained for ");
  const auto trained = load({}, target_.artifacts());
  EXPECT_EQ(load(trained->vocab(), target_.artifacts())->vocab(), trained->vocab());
}

TEST_F(DraftHead, OfArtifactsIsLoadedOnceWhereverItsTrialsAre) {
  const MethodTarget target = target_.for_methods();
  std::string draft = target_.artifacts(), here = draft, elsewhere = "trials.h5";
  std::optional<int> threads;
  const auto loaded = load_draft(target, draft, here, threads);
  EXPECT_EQ(load_draft(target, draft, elsewhere, threads, loaded->vocab()), loaded);
}

}  // namespace
}  // namespace outrider::methods
