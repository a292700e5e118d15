#include "runtime/cli/read_files.h"

#include <filesystem>

#include "runtime/cli/artifact_folders.h"
#include "runtime/cli/file_roles.h"
#include "runtime/cli/prompt_flags.h"
#include "runtime/model/gguf/open_gguf.h"
#include "runtime/model/huggingface/hf_file_names.h"

namespace outrider::cli {

namespace fs = std::filesystem;

std::vector<InputPath> model_at(const std::string& path) {
  std::error_code none;
  if (fs::is_directory(path, none)) return {{path, model::is_hf_file_name}};
  std::vector<InputPath> inputs;
  for (const fs::path& part : model::gguf_parts(path)) inputs.push_back({part});
  return inputs;
}

std::vector<InputPath> artifacts_at(const std::string& path) {
  return artifacts::inputs_at(path, artifact_folders());
}

std::vector<fs::path> updated_at(const std::string& path) {
  if (path.empty()) return {artifact_folders().front() / ""};
  return {path};
}

std::vector<InputPath> drafter_at(const std::string& path) {
  if (path.empty()) return artifacts_at("");
  std::error_code none;
  const bool has_artifacts =
      fs::is_directory(path, none) && !fs::exists(fs::path(path) / "config.json", none);
  return has_artifacts ? artifacts_at(path) : model_at(path);
}

std::vector<InputPath> prompts_at(const std::string& path) { return file_at(prompt_file(path)); }

std::vector<InputPath> input_of_text(const std::string& text) {
  if (text != "-") return {};
  return {{text}};
}

}  // namespace outrider::cli
