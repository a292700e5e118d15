#pragma once

#include <cstdint>
#include <string>

namespace outrider::data {

/// A number of bytes in the usual notation: a number, then nothing or B, kB, MB, GB, TB (powers of
/// 1000), KiB, MiB, GiB or TiB (of 1024); "2GiB", "1.5 GB".
/// @param flag  named in messages
/// @throws InputError
std::int64_t parse_bytes(const std::string& text, const std::string& flag);

/// "812 B", "1.23 kB", "56.1 MB"
std::string bytes_text(std::int64_t bytes);

}  // namespace outrider::data
