#include "runtime/methods/ssd.h"

#include <gtest/gtest.h>

#include "runtime/methods/loaded_draft.h"
#include "tests/methods/ssd_target.h"
#include "tests/support/draft_of.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/threads_of_process.h"

namespace outrider::methods {
namespace {

TEST_F(SsdTest, StopsByTheClassifierTrainedForItsDraftModel) {
  ssd_.settings.stop = "disco";
  ssd_.settings.draft = target_.artifacts();
  const auto prepare = [&](double temperature = 0) {
    return ssd_.prepare(target_.for_methods(temperature)).record();
  };
  test::expect_input_error(prepare, "--draft-stop disco: found no artifact file with /disco",
                           "`train disco` makes it");
  write_disco(target_.artifacts());
  EXPECT_EQ(prepare()["draft_length"], 5);
  EXPECT_EQ(prepare()["draft_threshold"], 0.5);
  EXPECT_EQ(prepare(1)["draft_length"], 2);
  EXPECT_EQ(prepare(1)["draft_threshold"], 0.2);
  ssd_.settings.threshold = 0.3;
  EXPECT_EQ(prepare()["draft_length"], 5) << "as with 0.2";
  EXPECT_EQ(prepare()["draft_threshold"], 0.3);
  ssd_.settings.draft = own_path();
  ssd_.settings.artifacts = target_.artifacts();
  const std::string own = draft_identity(own_path(), target_.target().model());
  const std::string other = draft_identity(target_.artifacts(), target_.target().model());
  test::expect_input_error(prepare, "was trained for the draft model " + other, own);
  write_disco(own_path());
  EXPECT_EQ(prepare()["draft_threshold"], 0.3);
}

TEST_F(SsdTest, StopsByTheClassifierOfASetOfTexts) {
  ssd_.settings.draft = target_.artifacts();
  ssd_.settings.disco_set = "code";
  const auto prepare = [&] { return ssd_.prepare(target_.for_methods()).record(); };
  test::expect_input_error(prepare, "--disco-set: only with --draft-stop disco or classifier",
                           "found static");
  ssd_.settings.stop = "disco";
  write_disco(target_.artifacts());
  test::expect_input_error(prepare, "found no artifact file with /disco_sets/code",
                           "`train disco --set code` makes it");
  write_disco(target_.artifacts(), "code");
  EXPECT_EQ(prepare()["disco_set"], "code");
  ssd_.settings.stop = "classifier";
  EXPECT_EQ(prepare()["disco_set"], "code");
  ssd_.settings.disco_set.clear();
  EXPECT_EQ(prepare()["draft_length"], 5);
  EXPECT_EQ(prepare()["disco_set"], "all");
}

TEST_F(SsdTest, DiscoIsThePapersAndTheClassifierIsNot) {
  ssd_.settings.draft = target_.artifacts();
  const auto resolve = [&](const char* stop) {
    ssd_.settings.stop = stop;
    return ssd_.resolve(target_.for_methods(1));
  };
  write_disco(target_.artifacts());
  const ResolvedSsd disco = resolve("disco"), classifier = resolve("classifier");
  EXPECT_EQ(disco.stop.policy, "disco");
  EXPECT_FALSE(disco.stop.along_path);
  EXPECT_EQ(classifier.stop.policy, "classifier");
  EXPECT_TRUE(classifier.stop.along_path);
  EXPECT_EQ(classifier.label, "soft");
}

TEST_F(SsdTest, TakesTheArtifactsDraftOrTheOneNamed) {
  ssd_.settings.artifacts = target_.artifacts();
  const PreparedMethod of_artifact = ssd_.prepare(target_.for_methods());
  EXPECT_EQ(of_artifact.record()["draft"], target_.artifacts());
  ssd_.settings.artifacts.clear();
  ssd_.settings.draft = target_.artifacts();
  const PreparedMethod by_name = ssd_.prepare(target_.for_methods());
  ssd_.settings.draft = own_path();
  const PreparedMethod of_target = ssd_.prepare(target_.for_methods());
  EXPECT_EQ(of_target.record()["draft"], own_path());

  const std::vector<Token> text = {3, 1, 4, 1, 5};
  const auto drafted = [&](const PreparedMethod& method) {
    const auto drafter = method.new_drafter();
    const auto tree = test::draft_of(*drafter, text);
    std::vector<Token> tokens;
    for (int node = 1; node < tree.size(); ++node) tokens.push_back(tree.token(node));
    return tokens;
  };
  EXPECT_EQ(drafted(of_artifact), drafted(by_name));
  EXPECT_NE(drafted(of_artifact), drafted(of_target));
  for (const Token token : drafted(of_artifact)) EXPECT_EQ(token % 2, 1) << "of its head";
}

TEST_F(SsdTest, ResolvesItsSettings) {
  ssd_.settings.draft = own_path();
  const auto record_of = [&] { return ssd_.prepare(target_.for_methods()).record(); };
  EXPECT_EQ(record_of()["draft_length"], 5);
  EXPECT_EQ(record_of()["draft_stop"], "static");
  EXPECT_EQ(record_of()["draft_threshold"], 0.4);
  EXPECT_EQ(record_of()["draft_threads"], target_.target().engine().workers());
  EXPECT_EQ(record_of()["verify"], "coupled");
  ssd_.settings.stop = "confidence";
  EXPECT_EQ(record_of()["draft_length"], 16);
  ssd_.settings.draft_length = 0;
  test::expect_input_error(record_of, "--draft-length: expected at least 1");
  EXPECT_FALSE(ssd_.capabilities().changes_text);
  ssd_.settings.verify = "rejection";
  EXPECT_TRUE(ssd_.capabilities().changes_text);
}

TEST_F(SsdTest, SharesTheTargetsThreadsUnlessItHasOne) {
  inference::TargetOptions options;
  options.engine.threads = 2;
  test::TinyTarget two(options);
  const MethodTarget target(two.target().model(), two.target().engine(), {});
  std::string draft = own_path(), artifacts;
  std::optional<int> threads;
  const auto before = test::threads_of_process();
  const auto shared = load_draft(target, draft, artifacts, threads);
  EXPECT_EQ(threads, 2);
  EXPECT_EQ(shared->engine->workers(), 2);
  EXPECT_EQ(test::threads_of_process(), before);
  EXPECT_EQ(shared->engine->place().unit, two.target().engine().place().unit);
  EXPECT_EQ(load_draft(target, draft, artifacts, threads), shared) << "loaded once";
  threads = 1;
  const auto alone = load_draft(target, draft, artifacts, threads);
  EXPECT_EQ(alone->engine->workers(), 1);
  threads = 3;
  test::expect_input_error([&] { load_draft(target, draft, artifacts, threads); },
                           "--draft-threads: expected 1, or 2 as the target has, found 3");
}

TEST_F(SsdTest, RefusesOtherTokens) {
  const test::TinyTarget other({}, [&](test::GgufWriter& file) {
    std::vector<std::int32_t> kinds(target_.target().model().tokenizer.tokens.size(), 1);
    std::fill_n(kinds.begin(), 4, 3);  // one special token more
    file.set("tokenizer.ggml.token_type", kinds);
  });
  ssd_.settings.draft = other.target().model().path.string();
  test::expect_input_error([&] { ssd_.prepare(target_.for_methods()); },
                           "its tokens differ from those of the target", "token 3 ");
}

TEST_F(SsdTest, RefusesAFileWithoutADraft) {
  const test::TemporaryFolder folder;
  ssd_.settings.draft = (folder.path() / "other.h5").string();
  artifacts::replace_group(ssd_.settings.draft, artifacts::identity_of(target_.target().model()),
                           artifacts::kPldPlusLayer, {},
                           [](hdf5::Writer& file, const std::string& group) {
                             artifacts::write_pld_plus_layer(test::some_layer(), file, group);
                           });
  test::expect_input_error([&] { ssd_.prepare(target_.for_methods()); }, "has no /draft",
                           "`train draft` makes it");
}

TEST_F(SsdTest, DecodesAsPlainDecodingDoesWithEveryPolicy) {
  const std::vector<Token> plain = target_.answer(nullptr, kMessage);
  for (const std::string& draft : {own_path(), target_.artifacts()}) {
    ssd_.settings.draft = draft;
    write_disco(draft);
    ssd_.settings.artifacts = target_.artifacts();
    for (const std::string& stop : draft::stop_policy_names()) {
      ssd_.settings.stop = stop;
      const PreparedMethod prepared = ssd_.prepare(target_.for_methods());
      EXPECT_EQ(target_.answer(prepared.new_drafter(), kMessage), plain) << stop;
    }
  }
}

}  // namespace
}  // namespace outrider::methods
