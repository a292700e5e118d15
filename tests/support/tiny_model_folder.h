#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_llama.h"

namespace outrider::test {

/// A folder with a tiny model whose context has room for long passes.
class TinyModelFolder : public testing::Test {
 protected:
  TemporaryFolder folder_;
  std::string model_ =
      write_tiny_llama(folder_.path(), "tiny.gguf", {.head_width = 32, .context = 1024}, 5,
                       model::WeightType::kQ4_1)
          .string();
};

}  // namespace outrider::test
