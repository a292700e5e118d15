// Any datasets as a trace shard: refused with an InputError, or read completely, with consistent parts. The
// HDF5 file around them is valid: version 1.10.8 of the library is known to read out of bounds in files
// with damaged structure, and a store's file is only opened if its hash is that of the manifest.

#include <cstdint>
#include <stdexcept>

#include "runtime/base/error.h"
#include "tests/fuzz/read_shard.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    outrider::fuzz::read_shard(std::as_bytes(std::span(data, size)));
  } catch (const outrider::InputError&) {
  } catch (const std::runtime_error&) {  // datasets that cannot be in one file
  }
  return 0;
}
