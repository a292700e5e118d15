#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace outrider::text {

/// Ends a streamed text before a stop string. Text that may be the beginning of one is held back. The
/// first stop string to be completed counts; the longest of several completed by the same character.
/// So the result does not depend on how the text is divided into portions.
class StopStrings {
 public:
  /// @throws InputError if a stop string is empty or not UTF-8
  explicit StopStrings(const std::vector<std::string>& stops);

  /// The text that is final after this portion; empty once `stopped()`.
  std::string push(std::string_view text);

  /// Ends the stream: the text that was held back.
  std::string flush();

  /// Whether a stop string was found; the returned text ends right before it.
  bool stopped() const { return stopped_; }

 private:
  struct Matcher {  // Knuth-Morris-Pratt: amortised one step per byte
    std::string stop;
    std::vector<std::size_t> fallback;  // [i]: longest proper border of the first i + 1 bytes
    std::size_t matched = 0;            // bytes of `stop` that the text ends with
  };
  static void step(Matcher& matcher, char byte);

  std::vector<Matcher> matchers_;
  std::string held_;
  bool stopped_ = false;
};

}  // namespace outrider::text
