#pragma once

#include <cstddef>
#include <optional>

#include "runtime/commands/coloured_text.h"
#include "runtime/commands/decode_run.h"
#include "runtime/inference/generation.h"

namespace outrider {

/// Whether texts are attributed and standard output is a terminal.
bool shows_colours(const DecodeRun& run);

/// Writes texts to standard output while they are generated, one after the other, each with a line
/// end.
class ShownText {
 public:
  /// @param coloured  whether copied spans are coloured
  explicit ShownText(bool coloured) : coloured_(coloured) {}

  void show(const inference::TextSoFar& text);

 private:
  void show_plain(const inference::TextSoFar& text);
  void show_coloured(const inference::TextSoFar& text);

  bool coloured_;
  std::size_t shown_ = 0;  // bytes of the text
  std::optional<ColouredText> colours_;
};

}  // namespace outrider
