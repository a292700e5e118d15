#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace outrider::data {

/// The words of a text in lower case: runs of letters, numbers and underscores. What is between them
/// does not tell texts apart.
/// @param text  valid UTF-8
std::vector<std::string> lower_words(std::string_view text);

}  // namespace outrider::data
