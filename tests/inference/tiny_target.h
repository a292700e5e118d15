#pragma once

#include <fstream>
#include <functional>
#include <iterator>

#include "runtime/inference/target.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_llama.h"

namespace outrider::test {

/// A tiny model in a folder of its own.
class TinyTarget {
 public:
  /// @param change  made to the file before it is written
  explicit TinyTarget(
      inference::TargetOptions options = {},
      const std::function<void(GgufWriter&)>& change = [](auto&) {})
      : options_(std::move(options)) {
    TinyShape shape;
    shape.head_width = 32;  // the least that the engine takes
    GgufWriter writer = tiny_llama_writer(shape, 7, model::WeightType::kQ8_0);
    change(writer);
    const std::vector<std::byte> bytes = writer.bytes();
    options_.model = (folder_.path() / "tiny.gguf").string();
    std::ofstream(options_.model, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
    target_.emplace(options_);
  }

  inference::Target& target() { return *target_; }
  const inference::Target& target() const { return *target_; }

 private:
  TemporaryFolder folder_;
  inference::TargetOptions options_;
  std::optional<inference::Target> target_;
};

}  // namespace outrider::test
