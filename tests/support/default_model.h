#pragma once

#include <gtest/gtest.h>

#include <filesystem>

#include "runtime/model/model.h"
#include "tests/support/source_path.h"

namespace outrider::test {

/// Tests of the model that is decoded by default, skipped where it was not fetched.
class DefaultModel : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(default_model()))
      GTEST_SKIP() << default_model() << " is absent; scripts/setup fetches it";
    model_ = model::load_model(default_model());
  }

  model::Model model_;
};

}  // namespace outrider::test
