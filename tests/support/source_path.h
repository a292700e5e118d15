#pragma once

#include <string>

namespace outrider::test {

/// The path of a file of the repository, from its path there: "tests/golden/chat.json".
std::string source_path(const std::string& path);

/// The default model, that scripts/setup fetches.
std::string default_model();

}  // namespace outrider::test
