#include "runtime/tokenizer/unicode_class.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "runtime/base/text_file.h"
#include "tests/support/source_path.h"

namespace outrider::text {
namespace {

// unicode_classes.json: Hugging Face's classes, by tests/golden/make_tokens.py.
TEST(UnicodeClass, IsHuggingFacesForEveryCodePoint) {
  const auto golden = nlohmann::json::parse(
      read_text_file(test::source_path("tests/golden/unicode_classes.json"), 1 << 20));
  for (const auto& [name, kind] : {std::pair{"letters", UnicodeClass::kLetter},
                                   {"numbers", UnicodeClass::kNumber},
                                   {"spaces", UnicodeClass::kSpace}}) {
    std::uint64_t count = 0;
    std::uint64_t sum = 0;
    for (char32_t c = 0; c < 0x110000; ++c) {
      if (unicode_class(c) != kind) continue;
      ++count;
      sum += c;
    }
    EXPECT_EQ(count, golden[name]["count"]) << name;
    EXPECT_EQ(sum, golden[name]["sum"]) << name;
  }
}

}  // namespace
}  // namespace outrider::text
