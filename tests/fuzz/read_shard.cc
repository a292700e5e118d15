#include "tests/fuzz/read_shard.h"

#include <algorithm>
#include <cstdlib>

#include "data/store/shard_content.h"
#include "data/store/shard_reader.h"
#include "tests/fuzz/hdf5_pieces.h"

namespace outrider::fuzz {
namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const data::Trace& trace, const data::StoreIdentity& identity) {
  const auto outputs = trace.output_tokens.size();
  const auto scores = outputs * static_cast<std::size_t>(identity.top_k);
  require(!trace.prompt_tokens.empty() && outputs > 0);
  require(trace.loss_mask.size() == trace.prompt_tokens.size() + outputs);
  require(trace.entropies.size() == outputs && trace.tail_masses.size() == outputs);
  require(trace.in_loop.size() == outputs);
  require(trace.top_ids.size() == scores && trace.top_log_probs.size() == scores);
  for (const auto* tokens : {&trace.prompt_tokens, &trace.output_tokens, &trace.top_ids}) {
    require(std::all_of(tokens->begin(), tokens->end(),
                        [&](Token token) { return token >= 0 && token < identity.vocab; }));
  }
  for (const data::LayerStates& layer : trace.states)
    require(layer.values.size() == trace.positions() * static_cast<std::size_t>(identity.width));
}

}  // namespace

void read_shard(std::span<const std::byte> pieces) {
  constexpr std::size_t kMaxText = 1 << 16;
  hdf5::Reader file(file_of_pieces(pieces), "fuzzed.h5");
  data::content_hash(file);
  // A store has the identity and the number from its manifest; here they are taken from the file.
  const data::StoreIdentity identity =
      data::parse_identity(file.read_text("/identity", kMaxText), "fuzzed.h5");
  const std::int32_t number = file.read<std::int32_t>("/shard", {}).front();
  const data::ShardReader reader(std::move(file), identity, number);
  for (std::size_t i = 0; i < reader.size(); ++i) check(reader.trace(i), identity);
}

}  // namespace outrider::fuzz
