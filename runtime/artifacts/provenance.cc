#include "runtime/artifacts/provenance.h"

#include <fmt/core.h>

#include <algorithm>

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
  file.add_text(prefix + "place", provenance.place);
  file.add_text(prefix + "code_version", provenance.code_version);
  file.add_text(prefix + "date", provenance.date);
}

Provenance read_provenance(const hdf5::Reader& file, const std::string& group) {
  const std::string prefix = group + "/provenance/";
  return {file.read_text(prefix + "command", kMaxProvenance),
          file.read_text(prefix + "options", kMaxProvenance),
          file.read_number<std::uint64_t>(prefix + "seed"),
          file.read_text(prefix + "traces", kMaxProvenance),
          // Weights of version 0.1.0 lack it.
          file.has(prefix + "place") ? file.read_text(prefix + "place", kMaxProvenance) : "",
          file.read_text(prefix + "code_version", kMaxProvenance),
          file.read_text(prefix + "date", kMaxProvenance)};
}

void check_is_current(const hdf5::Reader& file, const std::string& group,
                      std::initializer_list<const char*> datasets) {
  const bool has_all = std::all_of(datasets.begin(), datasets.end(),
                                   [&](const char* dataset) { return file.has(group + dataset); });
  if (!has_all)
    file.refuse(group,
                fmt::format("is of an earlier version, which is not read; `{}` makes it anew",
                            read_provenance(file, group).command));
}

}  // namespace outrider::artifacts
