#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "runtime/engine/engine.h"

namespace outrider::certify {

/// What a certificate is of: a model's numbers on a place, by this version of the program.
struct CertificateKey {
  std::string model_hash;
  std::string numerics;
  std::string machine;
  std::string program;
};
/// @param model_hash  model::model_hash
CertificateKey certificate_key(const std::string& model_hash, const engine::Engine& engine);

// What follows is kept in a folder of the user's, such as user_cache_folder's; in none where its path is empty.

/// Keeps the last certificate, JSON, for those who ask what holds here.
void keep_certificate(const std::filesystem::path& folder, const CertificateKey& key,
                      const std::string& json);
std::optional<std::string> kept_certificate(const std::filesystem::path& folder,
                                            const CertificateKey& key);

/// hash_of_fixed_text of the engine as 16 hexadecimal digits. It is the same on every machine, so it is computed once
/// for a model and this version of the program, and kept.
std::string fingerprint(const std::filesystem::path& folder, engine::Engine& engine,
                        const std::string& model_hash);

}  // namespace outrider::certify
