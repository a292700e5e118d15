#include "tests/fuzz/read_checkpoint.h"

#include <cstdlib>

#include "tests/fuzz/hdf5_pieces.h"
#include "train/checkpoints/checkpoint.h"

namespace outrider::fuzz {
namespace {

std::size_t numbers_of(const std::vector<std::int64_t>& dims) {
  std::size_t numbers = 1;
  for (const std::int64_t length : dims) numbers *= static_cast<std::size_t>(length);
  return numbers;
}

}  // namespace

void read_checkpoint(std::span<const std::byte> pieces) {
  const train::Checkpoint checkpoint =
      train::read_checkpoint(hdf5::Reader(file_of_pieces(pieces), "fuzzed.h5"));
  for (const train::SavedParameter& saved : checkpoint.parameters) {
    const std::size_t numbers = numbers_of(saved.dims);
    for (const auto* values : {&saved.value, &saved.first, &saved.second})
      if (values->size() != numbers) std::abort();
    if (!saved.best.empty() && saved.best.size() != numbers) std::abort();
  }
  const auto written = train::encode_checkpoint(checkpoint);
  const train::Checkpoint again = train::read_checkpoint(hdf5::Reader(written, "written.h5"));
  if (train::state_hash(again) != train::state_hash(checkpoint)) std::abort();
}

}  // namespace outrider::fuzz
