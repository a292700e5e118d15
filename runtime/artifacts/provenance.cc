#include "runtime/artifacts/provenance.h"

namespace outrider::artifacts {
namespace {

constexpr std::size_t kMaxProvenance = 1 << 20;

}  // namespace

void write_provenance(const Provenance& provenance, const std::string& group, hdf5::Writer& file) {
  const std::string place = group + "/provenance/";
  file.add_text(place + "command", provenance.command);
  file.add_text(place + "options", provenance.options);
  file.add_number<std::uint64_t>(place + "seed", provenance.seed);
  file.add_text(place + "traces", provenance.traces);
  file.add_text(place + "code_version", provenance.code_version);
  file.add_text(place + "date", provenance.date);
}

Provenance read_provenance(const hdf5::Reader& file, const std::string& group) {
  const std::string place = group + "/provenance/";
  return {file.read_text(place + "command", kMaxProvenance),
          file.read_text(place + "options", kMaxProvenance),
          file.read_number<std::uint64_t>(place + "seed"),
          file.read_text(place + "traces", kMaxProvenance),
          file.read_text(place + "code_version", kMaxProvenance),
          file.read_text(place + "date", kMaxProvenance)};
}

}  // namespace outrider::artifacts
