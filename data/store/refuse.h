#pragma once

#include <fmt/core.h>

#include <filesystem>
#include <string>

#include "runtime/base/error.h"

namespace outrider::data {

/// Throws InputError with what is wrong with a file or folder of a store.
[[noreturn]] inline void refuse(const std::filesystem::path& path, const std::string& what) {
  throw InputError(fmt::format("{}: {}", path.string(), what));
}

}  // namespace outrider::data
