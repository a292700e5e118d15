// Any bytes as the manifest of a store or of a group: refused with an InputError, or a manifest that is the same after
// writing and reading it again.

#include <cstdlib>
#include <string>

#include "data/store/group_format.h"
#include "data/store/manifest.h"
#include "runtime/base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace outrider::data;
  std::string written;
  try {
    const Manifest manifest =
        parse_manifest({reinterpret_cast<const char*>(data), size}, "fuzzed.json");
    for (const auto& [shard, entry] : manifest.shards)
      if (shard < 0 || shard >= manifest.plan.shards() || entry.traces < 0) std::abort();
    written = manifest_text(manifest);
    try {
      for (const GroupColumn& column :
           parse_group_identity(manifest.identity, "fuzzed.json").columns)
        if (column.name.empty() || column.width == 0) std::abort();
    } catch (const outrider::InputError&) {  // the manifest of a store
    }
  } catch (const outrider::InputError&) {
    return 0;
  }
  // Texts that are not UTF-8 were refused, so our own text must not be.
  const Manifest again = parse_manifest(written, "written.json");
  if (manifest_text(again) != written) std::abort();
  return 0;
}
