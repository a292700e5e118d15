#include "runtime/model/huggingface/export_folder.h"

#include <fmt/core.h>

#include <fstream>
#include <system_error>

#include "runtime/base/error.h"
#include "runtime/model/huggingface/hf_file_names.h"

namespace outrider::model {
namespace {

/// The metadata entry of weights that are written here.
constexpr const char* kWrittenBy = "written_by";
constexpr const char* kOutrider = "outrider export";

/// Whether a file of weights was written here.
bool is_export(const std::filesystem::path& weights) {
  std::ifstream file(weights, std::ios::binary);
  std::string head(256, '\0');
  file.read(head.data(), std::ssize(head));
  return head.find(fmt::format(R"("{}":"{}")", kWrittenBy, kOutrider)) != std::string::npos;
}

}  // namespace

std::map<std::string, std::string> export_metadata() {
  return {{"format", "pt"}, {kWrittenBy, kOutrider}};
}

void check_has_no_other_model(const std::filesystem::path& folder) {
  std::error_code error;
  if (is_export(folder / kWeightsFile)) return;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (is_hf_file_name(entry.path().filename().string()))
      throw InputError(fmt::format(
          "--out {}: expected a new or an empty folder, found one with another model ({})",
          folder.string(), entry.path().filename().string()));
}

void make_export_folder(const std::filesystem::path& folder) {
  check_has_no_other_model(folder);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw InputError(fmt::format("{}: {}", folder.string(), error.message()));
}

}  // namespace outrider::model
