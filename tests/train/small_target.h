#pragma once

#include "runtime/model/model.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_llama.h"

namespace outrider::test {

/// A small target in a file, as a drafter's target always is: of width 64, with 4 heads of width 32.
struct SmallTarget {
  TemporaryFolder folder;
  model::Model model;

  explicit SmallTarget(int layers = 2)
      : model(model::load_model(write_tiny_llama(folder.path(), "tiny.gguf",
                                                 {.layers = layers,
                                                  .width = 64,
                                                  .heads = 4,
                                                  .kv_heads = 2,
                                                  .head_width = 32,
                                                  .ffn_width = 96},
                                                 3, model::WeightType::kF32))) {}
};

}  // namespace outrider::test
