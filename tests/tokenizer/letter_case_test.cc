#include "runtime/tokenizer/letter_case.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "runtime/base/text_file.h"
#include "tests/support/source_path.h"

namespace outrider::text {
namespace {

// unicode_classes.json: Hugging Face's classes, by tests/golden/make_tokens.py.
TEST(LetterCase, IsHuggingFacesForEveryCodePoint) {
  const auto golden = nlohmann::json::parse(
      read_text_file(test::source_path("tests/golden/unicode_classes.json"), 1 << 20));
  for (const auto& [name, kind] : {std::pair{"upper", LetterCase::kUpper},
                                   {"lower", LetterCase::kLower},
                                   {"either", LetterCase::kEither}}) {
    std::uint64_t count = 0;
    std::uint64_t sum = 0;
    for (char32_t c = 0; c < 0x110000; ++c) {
      if (letter_case(c) != kind) continue;
      ++count;
      sum += c;
    }
    EXPECT_EQ(count, golden[name]["count"]) << name;
    EXPECT_EQ(sum, golden[name]["sum"]) << name;
  }
}

}  // namespace
}  // namespace outrider::text
