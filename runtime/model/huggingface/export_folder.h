#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace outrider::model {

/// The file of an exported model's weights.
inline constexpr const char* kWeightsFile = "model.safetensors";
/// The metadata of weights that are written here, by which they are known again.
std::map<std::string, std::string> export_metadata();

/// @throws InputError naming --out, if the folder has a model that was not written here
void check_has_no_other_model(const std::filesystem::path& folder);

/// Makes the folder where it is missing. @throws InputError likewise, and with the system's reason
void make_export_folder(const std::filesystem::path& folder);

}  // namespace outrider::model
