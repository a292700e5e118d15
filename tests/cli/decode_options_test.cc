#include "runtime/cli/decode_options.h"

#include <gtest/gtest.h>

#include "runtime/draft/ngram/ngram_tables.h"
#include "runtime/methods/method.h"
#include "tests/support/expect_input_error.h"

namespace outrider {
namespace {

DecodeOptions with_flags(const std::string& method, std::set<std::string> given) {
  DecodeOptions options;
  options.model = "m.gguf";
  options.method = method;
  options.given = std::move(given);
  return options;
}

TEST(DecodeOptions, AFlagOfAnotherMethodIsRefusedOnTheCommandLineOnly) {
  DecodeOptions given = with_flags("ar", {"ngram"});
  test::expect_input_error([&] { settle(given); }, "--ngram: not used by --method ar, only by pld");
  DecodeOptions from_file = with_flags("ar", {});
  from_file.ngram = 2;
  EXPECT_NO_THROW(settle(from_file));
  DecodeOptions used = with_flags("pld", {"ngram", "draft-length"});
  EXPECT_NO_THROW(settle(used));
}

TEST(DecodeOptions, TheBiasesAreReadFromTheirTexts) {
  DecodeOptions options = with_flags("ar", {});
  options.logit_bias = {"7=-1.5", "0=2"};
  settle(options);
  EXPECT_EQ(options.sampler.logit_bias, (std::vector<std::pair<Token, double>>{{7, -1.5}, {0, 2}}));
  for (const char* wrong : {"7", "=1", "7=", "-1=2", "x=1", "7=1e999", "4294967296=1", "7==1"}) {
    options.logit_bias = {wrong};
    test::expect_input_error([&] { settle(options); }, "--logit-bias: expected ID=X", wrong);
  }
}

TEST(DecodeOptions, OnlyPlainDecodingHasNoDrafter) {
  for (const std::string& name : method_names()) {
    DecodeOptions options = with_flags(name, {});
    options.layer = 1;
    options.heads = "1:0";
    options.ngram_tables = std::make_shared<draft::NgramTables>();
    EXPECT_EQ(make_drafter(options) == nullptr, name == "ar") << name;
  }
}

}  // namespace
}  // namespace outrider
