#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace outrider::text {

/// Ends a streamed text before a stop string. Text that may be the beginning of one is held back
/// until it is known not to be. The first stop string to be completed counts; of several completed by
/// the same character, the longest. So the result does not depend on the portions the text comes in.
class StopStrings {
 public:
  /// @throws InputError if a stop string is empty or not UTF-8
  explicit StopStrings(const std::vector<std::string>& stops);

  /// The text that is certain after this portion. Nothing more once `stopped()`.
  std::string push(std::string_view text);

  /// The end of the stream: what was held back.
  std::string flush();

  /// Whether a stop string has been met; what was given so far ends right before it.
  bool stopped() const { return stopped_; }

 private:
  struct Matcher {  // Knuth, Morris and Pratt's: one step a byte, whatever the text
    std::string stop;
    std::vector<std::size_t> fallback;  // [i] the longest proper border of the first i + 1 bytes
    std::size_t matched = 0;            // the bytes of `stop` that the text now ends with
  };
  static void step(Matcher& matcher, char byte);

  std::vector<Matcher> matchers_;
  std::string held_;
  bool stopped_ = false;
};

}  // namespace outrider::text
