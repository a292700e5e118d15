#pragma once

#include <string>

#include "data/store/store_identity.h"
#include "runtime/hdf5/reader.h"
#include "runtime/hdf5/writer.h"

namespace outrider::data {

/// The common head of every file of a store or group.
struct ShardHead {
  const char* format;
  int version;
  int shard;
  const StoreIdentity& identity;
};

void write_head(const ShardHead& head, hdf5::Writer& file);

/// @throws InputError naming the first dataset that is not as expected
void check_head(const ShardHead& expected, const hdf5::Reader& file);

}  // namespace outrider::data
