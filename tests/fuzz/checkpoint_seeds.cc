#include "tests/fuzz/checkpoint_seeds.h"

#include "tests/fuzz/hdf5_pieces.h"
#include "train/checkpoints/checkpoint.h"

namespace outrider::fuzz {
namespace {

train::Checkpoint small_checkpoint() {
  train::Checkpoint made;
  made.identity = {{"objective", {{"objective", "draft"}, {"layers", {1, 2}}}}};
  made.recipe = "[draft]\n";
  made.step = 3;
  made.steps = 9;
  made.optimiser_steps = 2;
  made.tokens = 77;
  made.seconds = 1.5;
  made.worse_since = 1;
  made.metrics_bytes = 64;
  made.last = {{"step", {{"loss", 0.5}}}};
  made.arithmetic = "2 threads";
  made.streams = {{{0, 2}, "01", 1, 5}};
  made.parameters = {{"norm", {2}, {1, 2}, {0, 0.5}, {0, 0.25}, {}},
                     {"q", {2, 1}, {3, 4}, {0, 0}, {0, 0}, {}}};
  return made;
}

std::string pieces_of(const train::Checkpoint& checkpoint) {
  return pieces_of_file(train::encode_checkpoint(checkpoint));
}

std::string replaced(std::string pieces, const std::string& from, const std::string& to) {
  return pieces.replace(pieces.find(from), from.size(), to);
}

}  // namespace

std::map<std::string, std::string> checkpoint_seeds() {
  const std::string plain = pieces_of(small_checkpoint());
  train::Checkpoint best = small_checkpoint();
  best.best = {0.25, 2};
  for (train::SavedParameter& parameter : best.parameters) parameter.best = parameter.value;
  return {{"valid_plain", plain},
          {"valid_best", pieces_of(best)},
          {"damaged", replaced(plain, "\"step\":3", "\"step\":4")},
          {"no_head", replaced(plain, "/head", "/haed")},
          {"other_format", replaced(plain, "checkpoint 1", "checkpoint 9")},
          {"other_dims", replaced(plain, "[2,1]", "[1,2]")},
          {"fraction", replaced(plain, "\"tokens\":77", "\"tokens\":.7")},
          {"no_moments", replaced(plain, "00000/first", "00000/fist_")}};
}

}  // namespace outrider::fuzz
