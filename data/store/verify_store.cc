#include "data/store/verify_store.h"

#include <fmt/core.h>

#include <cmath>

#include "data/loops.h"
#include "data/store/shard_content.h"
#include "runtime/base/error.h"

namespace outrider::data {
namespace {

/// Tolerance for float32 sums over a vocabulary.
constexpr double kTolerance = 1e-3;

class ShardCheck {
 public:
  ShardCheck(const ShardReader& reader, const StoreIdentity& identity)
      : columns_(reader.columns()), identity_(identity) {}

  /// The first error of the i-th trace; empty if none.
  std::string trace(std::size_t i) const {
    const auto begin = static_cast<std::size_t>(columns_.outputs.offsets[i]);
    const auto end = static_cast<std::size_t>(columns_.outputs.offsets[i + 1]);
    if (columns_.turns[i] < 1) return "/trace/turn: expected a turn from 1";
    if (columns_.samples[i] < 1) return "/trace/sample: expected a sample from 1";
    if (!(columns_.temperatures[i] >= 0)) return "/trace/temperature: expected 0 or more";
    const std::vector<std::uint8_t> flags = loop_flags(columns_.outputs[i]);
    if (!std::equal(flags.begin(), flags.end(),
                    columns_.in_loops.begin() + static_cast<std::ptrdiff_t>(begin))) {
      return "/output/in_loop: the flags are not those of the tokens";
    }
    for (std::size_t row = begin; row < end; ++row) {
      const std::string problem = scores(row);
      if (!problem.empty()) return fmt::format("{}, at output token {}", problem, row - begin);
    }
    return "";
  }

 private:
  std::string scores(std::size_t row) const {
    const double most = std::log(static_cast<double>(identity_.vocab)) + kTolerance;
    const double entropy = columns_.entropies[row];
    if (!(entropy >= -kTolerance && entropy <= most)) {
      return fmt::format("/scores/entropy: expected 0 to {:.3f} nats, found {}", most, entropy);
    }
    double sum = columns_.tail_masses[row];
    if (!(sum >= 0)) return fmt::format("/scores/tail_mass: expected 0 or more, found {}", sum);
    const auto k = static_cast<std::size_t>(identity_.top_k);
    for (std::size_t i = row * k; i < (row + 1) * k; ++i) {
      const float log_prob = columns_.top_log_probs[i];
      if (!(log_prob <= kTolerance)) {
        return fmt::format("/scores/top_log_probs: expected at most 0, found {}", log_prob);
      }
      if (i > row * k && !(log_prob <= columns_.top_log_probs[i - 1])) {
        return "/scores/top_log_probs: expected the most likely first";
      }
      sum += std::exp(static_cast<double>(log_prob));
    }
    if (k > 0 && std::abs(sum - 1) > kTolerance) {
      return fmt::format("/scores: expected probabilities that sum to 1, found {}", sum);
    }
    return "";
  }

  const ShardColumns& columns_;
  const StoreIdentity& identity_;
};

void verify_shard(const TraceStore& store, int shard, std::vector<std::string>& findings) {
  const std::string name = store.path(shard).string();
  const auto report = [&](const std::string& what) {
    findings.push_back(fmt::format("{}: {}", name, what));
  };
  try {
    const ShardReader reader = store.open(shard);
    const ShardEntry& entry = store.manifest().shards.at(shard);
    const std::string hash = content_hash(hdf5::Reader(store.path(shard)));
    if (hash != entry.content_hash) {
      report(fmt::format("expected content hash {}, found {}", entry.content_hash, hash));
    }
    const ShardCheck check(reader, store.identity());
    for (std::size_t i = 0; i < reader.size(); ++i) {
      const std::string problem = check.trace(i);
      if (!problem.empty()) report(fmt::format("trace {}: {}", i, problem));
    }
    for (const int layer : store.identity().layers) {
      if (reader.size() > 0) reader.states(0, layer);  // checks type and shape
    }
  } catch (const InputError& error) {
    findings.emplace_back(error.what());
  }
}

}  // namespace

std::vector<std::string> verify_store(const TraceStore& store,
                                      const std::function<void(std::int64_t)>& shard_done) {
  std::vector<std::string> findings;
  std::int64_t done = 0;
  for (const int shard : store.shards()) {
    verify_shard(store, shard, findings);
    shard_done(++done);
  }
  return findings;
}

}  // namespace outrider::data
