#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "runtime/model/weight.h"
#include "tests/support/gguf_writer.h"

namespace outrider::test {

/// The shape of a random model. Row lengths of quantised matrices must be multiples of 32.
struct TinyShape {
  int layers = 2;
  int width = 64;
  int heads = 4;
  int kv_heads = 2;
  int head_width = 16;
  int ffn_width = 96;
  int context = 512;
  bool tied = true;
  /// A phi3 file instead of a llama file: the same weights with Q, K and V in one tensor, and gate and
  /// up in another.
  bool fused = false;
};

/// A complete llama model with random weights (norms F32, all matrices of one type) and a tiny
/// tokenizer of the gpt2/smollm kind: <|endoftext|> 0, <|im_start|> 1, <|im_end|> 2 (the end token),
/// the 256 bytes in GPT-2's alphabet from id 3, then the results of a few merges. Its chat template is
/// SmolLM2's. The same arguments give the same bytes on every machine.
std::vector<std::byte> tiny_llama_gguf(const TinyShape& shape, std::uint64_t seed,
                                       model::WeightType type);

/// The same before serialisation, so that a test can damage it.
GgufWriter tiny_llama_writer(const TinyShape& shape, std::uint64_t seed, model::WeightType type);

/// A model of floats in which one matrix is a million times as large as usual: "blk.0.attn_k.weight" makes keys that
/// half floats do not reach.
std::vector<std::byte> tiny_llama_with_large(const std::string& tensor);

/// Writes the model to `folder`/`name` and returns that path.
std::filesystem::path write_tiny_llama(const std::filesystem::path& folder, const std::string& name,
                                       const TinyShape& shape, std::uint64_t seed,
                                       model::WeightType type);

/// The character that represents a byte in a GPT-2 vocabulary: "Ġ" for 0x20, "a" for 0x61 …
std::string byte_letter(int byte);

}  // namespace outrider::test
