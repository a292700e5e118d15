#pragma once

#include <string>
#include <vector>

namespace outrider::text {

/// A chat format of `--chat`, as a template.
struct NamedFormat {
  std::string name;
  std::string jinja;               // empty: raw, the text as it is
  std::vector<std::string> marks;  // must be special tokens of the vocabulary
};

/// In the order of the list of `--chat`.
const std::vector<NamedFormat>& named_formats();

/// "chatml, llama-2, … or raw".
std::string format_names();

}  // namespace outrider::text
