#include "data/store/shard_head.h"

#include <fmt/core.h>

namespace outrider::data {

void write_head(const ShardHead& head, hdf5::Writer& file) {
  file.add_text("/format", head.format);
  file.add_number<std::int32_t>("/version", head.version);
  file.add_number<std::int32_t>("/shard", head.shard);
  file.add_text("/identity", identity_text(head.identity));
}

void check_head(const ShardHead& expected, const hdf5::Reader& file) {
  constexpr std::size_t kMaxText = 1 << 24;
  const std::string format = file.read_text("/format", kMaxText);
  if (format != expected.format) {
    file.refuse("/format", fmt::format("expected '{}', found '{}'", expected.format, format));
  }
  const auto version = file.read_number<std::int32_t>("/version");
  if (version != expected.version) {
    file.refuse("/version",
                fmt::format("this program reads version {}, found {}", expected.version, version));
  }
  const auto shard = file.read_number<std::int32_t>("/shard");
  if (shard != expected.shard)
    file.refuse("/shard", fmt::format("expected {}, found {}", expected.shard, shard));
  const StoreIdentity found = parse_identity(file.read_text("/identity", kMaxText), file.name());
  const std::string difference = first_difference(expected.identity, found);
  if (!difference.empty()) file.refuse("/identity", "belongs to another store: " + difference);
}

}  // namespace outrider::data
