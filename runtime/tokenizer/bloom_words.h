#pragma once

#include <string_view>
#include <vector>

namespace outrider::text {

/// Appends the words that BLOOM's pattern finds in `text`, valid UTF-8, and the stretches between them;
/// together they are all of it:
///
///      ?[^(\s|[.,!?…。，、।۔،])]+
///
/// The characters that no word holds are white space, those in the inner brackets, parentheses and |.
void split_bloom_words(std::string_view text, std::vector<std::string_view>& words);

}  // namespace outrider::text
