#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace outrider::model {

/// How the files of a model say that its tokens are chosen. What they do not say is off.
struct OwnSampling {
  double temperature = 1;
  int top_k = 0;
  double top_p = 1;
  double min_p = 0;
  double repetition_penalty = 1;
  std::string file;  // that says so
  /// Keys of what is not implemented, such as mirostat, at a value that has an effect.
  std::vector<std::string> left_out;
};

/// A folder's generation_config.json, where `do_sample` is true; a GGUF file's `general.sampling.*`. Defined beside
/// load_model, which chooses by the kind of model file too.
/// @return nothing where they do not say that tokens are sampled
/// @throws InputError for a file that cannot be read, or a value of another type or out of range
std::optional<OwnSampling> own_sampling(const std::filesystem::path& path);

/// @return the number that a file has for a key, if any
using NumberOf =
    std::function<std::optional<double>(const std::string& key, double low, double high)>;

/// @param prefix  of all keys
/// @param temperature, penalty  the keys that each kind of file names otherwise
/// @throws InputError as `number`
OwnSampling read_own_sampling(const NumberOf& number, const std::string& prefix,
                              const std::string& temperature, const std::string& penalty);

}  // namespace outrider::model
