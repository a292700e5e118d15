#pragma once

#include "runtime/commands/decode_target.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_llama.h"

namespace outrider::test {

/// A tiny model in a folder of its own, as `runtime decode` loads it.
class TinyTarget {
 public:
  explicit TinyTarget(DecodeOptions options = {}) : options_(std::move(options)) {
    TinyShape shape;
    shape.head_width = 32;  // the least that the engine takes
    options_.model =
        write_tiny_llama(folder_.path(), "tiny.gguf", shape, 7, model::WeightType::kQ8_0).string();
    options_.quiet = true;
    target_.emplace(options_);
  }

  DecodeTarget& target() { return *target_; }
  const DecodeOptions& options() const { return options_; }

 private:
  TemporaryFolder folder_;
  DecodeOptions options_;
  std::optional<DecodeTarget> target_;
};

}  // namespace outrider::test
