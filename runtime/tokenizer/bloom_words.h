#pragma once

#include <string_view>
#include <vector>

namespace outrider::text {

/// Appends the matches of BLOOM's pattern in `text`, valid UTF-8, and the text between them; together
/// they are the whole text:
///
///      ?[^(\s|[.,!?…。，、।۔،])]+
///
/// Words contain no white space, parentheses, | or characters of the inner brackets.
void split_bloom_words(std::string_view text, std::vector<std::string_view>& words);

}  // namespace outrider::text
