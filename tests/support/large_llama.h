#pragma once

#include <cstdint>
#include <filesystem>

namespace outrider::test {

/// Writes a Hugging Face folder of a llama model whose weights, in bf16, are all 0, and take no room on the disk.
/// @param layers  of some 31 MB each
/// @return bytes of its weights
std::int64_t write_large_llama(const std::filesystem::path& folder, int layers);

}  // namespace outrider::test
