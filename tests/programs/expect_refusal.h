#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tests/programs/shell.h"

namespace outrider::test {

/// Expects a user's mistake: exit status 2, and `part` in the message.
inline void expect_refusal(const Outcome& outcome, const std::string& part) {
  EXPECT_EQ(outcome.status, 2) << outcome.err;
  EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
}

}  // namespace outrider::test
