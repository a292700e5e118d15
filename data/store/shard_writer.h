#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "data/store/store_identity.h"
#include "data/trace.h"

namespace outrider::data {

/// One shard as the bytes of an HDF5 file: the same for the same arguments on any machine.
struct EncodedShard {
  std::vector<std::byte> bytes;
  std::string content_hash;
};

/// @throws std::logic_error for an inconsistent trace
EncodedShard encode_shard(const StoreIdentity& identity, int shard, std::span<const Trace> traces);

}  // namespace outrider::data
