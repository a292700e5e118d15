// Any datasets as an artifact file: refused with an InputError, or read whole, with parts that fit, put to
// the use that decoding makes of them and printed as inspect does. The HDF5 file around them is sound, as
// for shards.

#include <cstdint>
#include <stdexcept>

#include "runtime/base/error.h"
#include "tests/fuzz/read_artifact.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    outrider::fuzz::read_artifact(std::as_bytes(std::span(data, size)));
  } catch (const outrider::InputError&) {
  } catch (const std::runtime_error&) {  // datasets that no file can hold
  }
  return 0;
}
