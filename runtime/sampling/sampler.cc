#include "runtime/sampling/sampler.h"

#include <xxhash.h>

#include <string>

namespace outrider::sampling {
namespace {

void append_little_endian(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>((value >> (8 * i)) & 0xff));
}

}  // namespace

std::uint64_t sequence_seed(std::uint64_t seed, std::string_view prompt_id, int turn, int sample) {
  std::string key;
  append_little_endian(key, seed, 8);
  append_little_endian(key, static_cast<std::uint32_t>(turn), 4);
  append_little_endian(key, static_cast<std::uint32_t>(sample), 4);
  key += prompt_id;
  return XXH3_64bits(key.data(), key.size());
}

}  // namespace outrider::sampling
