#include "runtime/artifacts/calibrated_pair.h"

#include "runtime/artifacts/checked_numbers.h"

namespace outrider::artifacts {
void write_calibrated_pair(const cost::CalibratedPair& pair, hdf5::Writer& file,
                           const std::string& group) {
  file.add_text(group + "/draft", pair.draft);
  file.add_text(group + "/numerics", pair.numerics);
  file.add_number<std::int32_t>(group + "/threads", pair.threads);
  file.add_number<std::int32_t>(group + "/draft_threads", pair.draft_threads);
  file.add_number<std::int32_t>(group + "/context", pair.context);
  file.add_text(group + "/isa", pair.isa);
}

cost::CalibratedPair read_calibrated_pair(const hdf5::Reader& file, const std::string& group) {
  constexpr std::size_t kLongestText = 64;
  cost::CalibratedPair pair;
  pair.draft = file.read_text(group + "/draft", kLongestText);
  pair.numerics = file.read_text(group + "/numerics", kLongestText);
  pair.threads = read_at_least(file, group + "/threads", 1);
  pair.draft_threads = read_at_least(file, group + "/draft_threads", 1);
  pair.context = read_at_least(file, group + "/context", 0);
  if (file.has(group + "/isa")) pair.isa = file.read_text(group + "/isa", kLongestText);
  return pair;
}

}  // namespace outrider::artifacts
