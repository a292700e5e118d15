#include "runtime/certify/kept_certificate.h"

#include <fmt/core.h>

#include "runtime/base/build_name.h"
#include "runtime/base/kept_text.h"
#include "runtime/certify/certificate.h"

namespace outrider::certify {
namespace {

KeptText place_of(const std::filesystem::path& folder, const CertificateKey& key) {
  return {folder, "certificate",
          fmt::format("{}\n{}\n{}\n{}", key.model_hash, key.numerics, key.machine, key.program)};
}

}  // namespace

CertificateKey certificate_key(const std::string& model_hash, const engine::Engine& engine) {
  return {model_hash, engine.numerics_name(), engine.place().name, code_version()};
}

void keep_certificate(const std::filesystem::path& folder, const CertificateKey& key,
                      const std::string& json) {
  place_of(folder, key).write(json);
}

std::optional<std::string> kept_certificate(const std::filesystem::path& folder,
                                            const CertificateKey& key) {
  return place_of(folder, key).read();
}

std::string fingerprint(const std::filesystem::path& folder, engine::Engine& engine,
                        const std::string& model_hash) {
  const KeptText kept(
      folder, "fingerprint",
      fmt::format("{}\n{}\n{}", model_hash, engine.numerics_name(), code_version()));
  constexpr std::size_t kDigits = 16;
  if (const auto known = kept.read(); known && known->size() == kDigits) return *known;
  std::string hash = fmt::format("{:016x}", hash_of_fixed_text(engine));
  kept.write(hash);
  return hash;
}

}  // namespace outrider::certify
