#include "data/journal/journal_parts.h"

#include <gtest/gtest.h>

namespace outrider::data {
namespace {

TEST(JournalParts, AreNamedBesideTheWhole) {
  EXPECT_EQ(part_path("f/mine.h5.heads-tried.part", 2, 4), "f/mine.h5.heads-tried.2-of-4.part");
  EXPECT_EQ((UnfinishedParts{8, {2, 5, 6}}.text()),
            "parts 2, 5 and 6 of 8 are not finished: start them again with --shard I/8, or of a "
            "job array --array=1,4,5");
}

}  // namespace
}  // namespace outrider::data
