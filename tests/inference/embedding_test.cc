// What a program that embeds decoding needs: this test program links no command line.

#include <gtest/gtest.h>

#include "runtime/inference/dialogue.h"
#include "runtime/inference/generation.h"
#include "runtime/methods/bigram.h"
#include "runtime/methods/pld.h"
#include "tests/inference/tiny_target.h"
#include "tests/support/expect_input_error.h"

namespace outrider::inference {
namespace {

TEST(Embedding, DecodesWithAMethodWhoseSettingsAreAStruct) {
  test::TinyTarget tiny;
  Target& target = tiny.target();
  methods::Pld lookup;
  lookup.settings.draft_length = 3;
  lookup.settings.ngram = 1;
  const methods::PreparedMethod prepared = lookup.prepare({target.model(), target.engine(), {}});
  GenerationOptions options;
  options.max_new = 40;
  Generation drafted(target, options, 256, prepared.new_drafter());
  Generation plain(target, options, 256, nullptr);
  const std::vector<Token> prompt = Dialogue(target).ask("abcabcabc");
  const GeneratedText text = drafted.generate({"p", ""}, prompt);
  EXPECT_EQ(text.result.tokens, plain.generate({"p", ""}, prompt).result.tokens);
  EXPECT_GT(text.result.stats.drafted, 0);
}

TEST(Embedding, AMethodSaysWhatItLacks) {
  test::TinyTarget tiny;
  Target& target = tiny.target();
  methods::Bigram tables;
  tables.settings.drafts = 2;
  test::expect_input_error(
      [&] {
        tables.prepare({target.model(), target.engine(), {}});
      },
      "calibrate ngrammys");
}

}  // namespace
}  // namespace outrider::inference
