#include "runtime/tokenizer/unicode_class.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <utility>

#include "runtime/base/text_file.h"
#include "runtime/tokenizer/letter_case.h"
#include "tests/support/source_path.h"

namespace outrider::text {
namespace {

/// Compares with unicode_classes.json: Hugging Face's classes, by tests/golden/make_tokens.py.
template <typename Kind>
void expect_hugging_faces(Kind (*kind_of)(char32_t),
                          std::initializer_list<std::pair<const char*, Kind>> kinds) {
  const auto golden = nlohmann::json::parse(
      read_text_file(test::source_path("tests/golden/unicode_classes.json"), 1 << 20));
  for (const auto& [name, kind] : kinds) {
    std::uint64_t count = 0;
    std::uint64_t sum = 0;
    for (char32_t c = 0; c < 0x110000; ++c) {
      if (kind_of(c) != kind) continue;
      ++count;
      sum += c;
    }
    EXPECT_EQ(count, golden[name]["count"]) << name;
    EXPECT_EQ(sum, golden[name]["sum"]) << name;
  }
}

TEST(UnicodeClass, IsHuggingFacesForEveryCodePoint) {
  expect_hugging_faces(unicode_class, {{"letters", UnicodeClass::kLetter},
                                       {"numbers", UnicodeClass::kNumber},
                                       {"spaces", UnicodeClass::kSpace}});
}

TEST(LetterCase, IsHuggingFacesForEveryCodePoint) {
  expect_hugging_faces(letter_case, {{"upper", LetterCase::kUpper},
                                     {"lower", LetterCase::kLower},
                                     {"either", LetterCase::kEither}});
}

}  // namespace
}  // namespace outrider::text
