#include "runtime/base/hash.h"

#include <gtest/gtest.h>

namespace outrider {
namespace {

TEST(Hash, IsThatOfXxh128sum) {
  // printf '' | xxhsum -H2; printf outrider | xxhsum -H2
  EXPECT_EQ(hash_hex({}), "99aa06d3014798d86001c324468d497f");
  const std::string_view text = "outrider";
  EXPECT_EQ(hash_hex(std::as_bytes(std::span(text.data(), text.size()))),
            "dbd7a05ea48612a4e7ea4b699335250f");
}

TEST(Hash, OfTextsKeepsThemApart) {
  Hasher one, other;
  one.add_text("ab");
  one.add_text("c");
  other.add_text("a");
  other.add_text("bc");
  EXPECT_NE(one.hex(), other.hex());
}

TEST(Hash, TellsNumbersApart) {
  Hasher one, other;
  one.add_number(1);
  other.add_number(std::uint64_t{1} << 56);
  EXPECT_NE(one.hex(), other.hex());
  EXPECT_NE(one.low(), other.low());
}

}  // namespace
}  // namespace outrider
