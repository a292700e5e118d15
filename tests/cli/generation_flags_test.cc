#include "runtime/cli/generation_flags.h"

#include <gtest/gtest.h>

#include "tests/support/expect_input_error.h"

namespace outrider::cli {
namespace {

TEST(GenerationFlags, TheBiasesAreReadFromTheirTexts) {
  GenerationFlags flags;
  flags.logit_bias = {"7=-1.5", "0=2"};
  EXPECT_EQ(generation_options(flags).sampler.logit_bias,
            (std::vector<std::pair<Token, double>>{{7, -1.5}, {0, 2}}));
  for (const char* wrong : {"7", "=1", "7=", "-1=2", "x=1", "7=1e999", "4294967296=1", "7==1"}) {
    flags.logit_bias = {wrong};
    test::expect_input_error([&] { (void)generation_options(flags); },
                             "--logit-bias: expected ID=X", wrong);
  }
}

TEST(TargetFlags, AModelHasAName) {
  test::expect_input_error([] { (void)target_options({}, true); },
                           "--model: expected a file, found an empty name");
}

}  // namespace
}  // namespace outrider::cli
