#pragma once

#include <string>

namespace outrider::test {

/// The absolute path of a file of the repository: "tests/golden/chat.json".
std::string source_path(const std::string& path);

/// Path of the default model, which scripts/setup downloads.
std::string default_model();

}  // namespace outrider::test
