#include "tests/support/source_path.h"

namespace outrider::test {

std::string source_path(const std::string& path) { return OUTRIDER_SOURCE_DIR "/" + path; }

std::string default_model() { return source_path("models/SmolLM2-135M-Instruct.Q4_1.gguf"); }

}  // namespace outrider::test
