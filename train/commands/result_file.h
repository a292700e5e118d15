#pragma once

#include <filesystem>
#include <string>

#include "runtime/artifacts/target.h"

namespace outrider::train {

/// The artifact file that a result is to be written to, claimed for that.
/// @param given  file or folder of --artifacts; empty: none
/// @param group  of the result
/// @throws InputError if the command reads the file, or it was made for another target
std::filesystem::path result_file(const std::string& given, const artifacts::TargetIdentity& target,
                                  const std::string& group);

}  // namespace outrider::train
