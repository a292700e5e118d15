// Any bytes as a safetensors file: refused with an InputError, or tensors that lie inside it.

#include <cstdlib>
#include <span>

#include "runtime/base/error.h"
#include "runtime/model/safetensors_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace outrider::model;
  try {
    unsigned sum = 0;
    for (const SafeTensor& tensor :
         parse_safetensors(std::as_bytes(std::span(data, size)), "fuzzed.safetensors")) {
      std::int64_t count = 1;
      for (const std::int64_t extent : tensor.shape) count *= extent;
      const int bytes = tensor.type ? block_shape(*tensor.type).bytes : 1;
      if (count * bytes != std::ssize(tensor.bytes)) std::abort();
      for (const std::byte byte : tensor.bytes) sum += static_cast<unsigned>(byte);
    }
    [[maybe_unused]] volatile unsigned read = sum;
  } catch (const outrider::InputError&) {
  }
  return 0;
}
