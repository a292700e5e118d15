#include "train/workers/agreement.h"

#include <fmt/core.h>

#include "runtime/base/error.h"
#include "runtime/base/json_text.h"

namespace outrider::train {
namespace {

std::string value_at(const nlohmann::json& facts, const std::string& path) {
  constexpr std::size_t kMost = 120;
  const nlohmann::json::json_pointer pointer(path);
  if (!facts.contains(pointer)) return "none";
  const std::string text = json_text(facts.at(pointer));
  return text.size() <= kMost ? text : text.substr(0, kMost) + "…";
}

}  // namespace

void check_alike(Workers& workers, const nlohmann::json& facts) {
  const std::vector<std::string> all = workers.gather(json_text(facts));
  const auto first = nlohmann::json::parse(all.front());
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank] == all.front()) continue;
    const auto other = nlohmann::json::parse(all[rank]);
    const std::string path = nlohmann::json::diff(first, other).front().at("path");
    throw InputError(fmt::format(
        "workers 0 and {} differ in {}: {} and {}; expected the same command on the same files by "
        "the same program{}",
        rank, path.substr(1), value_at(first, path), value_at(other, path),
        path == "/arithmetic" ? ", and equal processors and threads, or --mixed-arithmetic, with "
                                "which the bits depend on the workers"
                              : ""));
  }
}

void check_same_weights(Workers& workers, const std::string& hash, std::int64_t step) {
  const std::vector<std::string> all = workers.gather(hash);
  std::string others;
  for (std::size_t rank = 1; rank < all.size(); ++rank)
    if (all[rank] != all.front()) others += fmt::format("{}{}", others.empty() ? "" : ", ", rank);
  if (others.empty()) return;
  throw CheckFailed(
      fmt::format("step {}: the weights of workers {} are not those of worker 0, so a processor, "
                  "its memory or LibTorch gave other bits; the checkpoint before it is kept",
                  step, others));
}

void check_divisible(int accumulate, int workers) {
  if (!is_power_of_two(workers))
    throw InputError(fmt::format(
        "{} workers: expected a power of two, so that sums do not depend on their number",
        workers));
  if (is_power_of_two(accumulate) && accumulate >= workers) return;
  int wanted = workers;
  while (wanted < accumulate) wanted *= 2;
  throw InputError(
      fmt::format("--accumulate {}: expected a power of two that {} workers divide, so that sums "
                  "do not depend on their number: give --accumulate {}",
                  accumulate, workers, wanted));
}

}  // namespace outrider::train
