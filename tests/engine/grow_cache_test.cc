#include "runtime/engine/grow_cache.h"

#include <gtest/gtest.h>

#include "runtime/engine/forward_text.h"
#include "tests/support/tiny_engine.h"

namespace outrider::engine {
namespace {

TEST(GrowCache, KeepsTheCommittedTokensAndGrowsByHalfUpToTheMost) {
  test::TinyEngine tiny(model::WeightType::kQ8_0, 3, 1);
  auto cache = tiny.engine.make_cache(8);
  Pass pass;
  forward_text(tiny.engine, *cache, pass, test::random_tokens(5, tiny.engine.config().vocab, 7));
  const auto key = cache->key_bytes(0, 4);

  EXPECT_FALSE(grow_cache(tiny.engine, cache, 8, 100));
  EXPECT_EQ(cache->capacity(), 8);
  EXPECT_TRUE(grow_cache(tiny.engine, cache, 9, 100));
  EXPECT_EQ(cache->capacity(), 12);
  EXPECT_EQ(cache->length(), 5);
  EXPECT_EQ(cache->key_bytes(0, 4), key);
  EXPECT_TRUE(grow_cache(tiny.engine, cache, 40, 100));
  EXPECT_EQ(cache->capacity(), 40);
  EXPECT_TRUE(grow_cache(tiny.engine, cache, 41, 45));
  EXPECT_EQ(cache->capacity(), 45);
  EXPECT_FALSE(grow_cache(tiny.engine, cache, 90, 45));
}

}  // namespace
}  // namespace outrider::engine
