#include "tests/fuzz/shard_seeds.h"

#include "data/loops.h"
#include "data/store/shard_writer.h"
#include "tests/fuzz/hdf5_pieces.h"

namespace outrider::fuzz {
namespace {

/// Small numbers, all of them different from their neighbours.
data::Trace small_trace(const data::StoreIdentity& identity, int n) {
  data::Trace trace;
  trace.id = n == 1 ? "a" : "b/2";
  trace.task = "qa";
  trace.turn = n;
  trace.temperature = 0.5 * n;
  trace.sequence_seed = 7;
  trace.prompt_tokens = {1, 2, static_cast<Token>(n)};
  trace.output_tokens.assign(static_cast<std::size_t>(3 * n),
                             static_cast<Token>(identity.vocab - n));
  trace.loss_mask.assign(3, 0);
  trace.loss_mask.resize(3 + trace.output_tokens.size(), 1);
  trace.in_loop = data::loop_flags(trace.output_tokens);
  for (std::size_t i = 0; i < trace.output_tokens.size(); ++i) {
    for (int k = 0; k < identity.top_k; ++k) {
      trace.top_ids.push_back(static_cast<Token>(k));
      trace.top_log_probs.push_back(static_cast<float>(-1 - k));
    }
    trace.entropies.push_back(static_cast<float>(n) / 4);
    trace.tail_masses.push_back(0.25F);
  }
  const std::size_t numbers = trace.positions() * static_cast<std::size_t>(identity.width);
  for (const int layer : identity.layers)
    trace.states.push_back({layer, std::vector<Bfloat16>(numbers, float_to_bfloat16(0.5F))});
  return trace;
}

std::string shard(int vocab, int top_k, std::vector<int> layers) {
  const data::StoreIdentity identity = {
      "m", "01", "23", vocab, 2, top_k, std::move(layers), {{"seed", "1"}}};
  const std::vector<data::Trace> traces = {small_trace(identity, 1), small_trace(identity, 2)};
  return pieces_of_file(data::encode_shard(identity, 3, traces).bytes);
}

/// With one text replaced by another.
std::string with(std::string pieces, const std::string& from, const std::string& to) {
  return pieces.replace(pieces.find(from), from.size(), to);
}

}  // namespace

std::map<std::string, std::string> shard_seeds() {
  const std::string plain = shard(300, 2, {});
  return {{"valid_plain", plain},
          {"valid_states", shard(300, 1, {0, -1})},
          {"valid_no_scores", shard(9, 0, {})},
          {"valid_long_ids", shard(70'000, 2, {})},
          {"other_width", with(plain, "\"top_k\":2", "\"top_k\":3")},
          {"no_offsets", with(plain, "/prompt/offsets", "/prompt/offzets")},
          {"ids_too_high", with(plain, "\"vocab\":300", "\"vocab\":100")},
          {"no_identity", with(plain, "{\"model_hash\"", "[\"model_hash\"")}};
}

}  // namespace outrider::fuzz
