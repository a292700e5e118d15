// Any datasets as a training checkpoint: refused with an InputError, or read whole, with parts that fit, and
// the same after writing and reading it again. The HDF5 file around them is sound, as for shards.

#include <cstdint>
#include <stdexcept>

#include "runtime/base/error.h"
#include "tests/fuzz/read_checkpoint.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    outrider::fuzz::read_checkpoint(std::as_bytes(std::span(data, size)));
  } catch (const outrider::InputError&) {
  } catch (const std::runtime_error&) {  // datasets that no file can hold
  }
  return 0;
}
