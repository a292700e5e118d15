// Any datasets as a trace shard: refused with an InputError, or read whole, with parts that fit. The
// HDF5 file around them is sound: version 1.10.8 of the library, which is not ours to change, is known
// to read out of bounds in files whose structure is damaged, and a store's file is only opened when its
// hash is the manifest's.

#include <cstdint>
#include <stdexcept>

#include "runtime/base/error.h"
#include "tests/fuzz/read_shard.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    outrider::fuzz::read_shard(std::as_bytes(std::span(data, size)));
  } catch (const outrider::InputError&) {
  } catch (const std::runtime_error&) {  // datasets that no file can hold
  }
  return 0;
}
