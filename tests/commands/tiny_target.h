#pragma once

#include <fstream>
#include <functional>
#include <iterator>

#include "runtime/inference/decode_target.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_llama.h"

namespace outrider::test {

/// A tiny model in a folder of its own, as `runtime decode` loads it.
class TinyTarget {
 public:
  /// @param change  made to the file before it is written
  explicit TinyTarget(
      DecodeOptions options = {}, const std::function<void(GgufWriter&)>& change = [](auto&) {})
      : options_(std::move(options)) {
    TinyShape shape;
    shape.head_width = 32;  // the least that the engine takes
    GgufWriter writer = tiny_llama_writer(shape, 7, model::WeightType::kQ8_0);
    change(writer);
    const std::vector<std::byte> bytes = writer.bytes();
    options_.model = (folder_.path() / "tiny.gguf").string();
    std::ofstream(options_.model, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
    options_.quiet = true;
    target_.emplace(options_);
  }

  DecodeTarget& target() { return *target_; }
  const DecodeTarget& target() const { return *target_; }
  const DecodeOptions& options() const { return options_; }

 private:
  TemporaryFolder folder_;
  DecodeOptions options_;
  std::optional<DecodeTarget> target_;
};

}  // namespace outrider::test
