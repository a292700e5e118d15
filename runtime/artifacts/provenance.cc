#include "runtime/artifacts/provenance.h"

namespace outrider::artifacts {
namespace {

constexpr std::size_t kMaxProvenance = 1 << 20;

}  // namespace

void write_provenance(const Provenance& provenance, const std::string& group, hdf5::Writer& file) {
  const std::string prefix = group + "/provenance/";
  file.add_text(prefix + "command", provenance.command);
  file.add_text(prefix + "options", provenance.options);
  file.add_number<std::uint64_t>(prefix + "seed", provenance.seed);
  file.add_text(prefix + "traces", provenance.traces);
  file.add_text(prefix + "code_version", provenance.code_version);
  file.add_text(prefix + "date", provenance.date);
}

Provenance read_provenance(const hdf5::Reader& file, const std::string& group) {
  const std::string prefix = group + "/provenance/";
  return {file.read_text(prefix + "command", kMaxProvenance),
          file.read_text(prefix + "options", kMaxProvenance),
          file.read_number<std::uint64_t>(prefix + "seed"),
          file.read_text(prefix + "traces", kMaxProvenance),
          file.read_text(prefix + "code_version", kMaxProvenance),
          file.read_text(prefix + "date", kMaxProvenance)};
}

}  // namespace outrider::artifacts
