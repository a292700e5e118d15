#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/model/config.h"
#include "runtime/model/weight.h"
#include "runtime/tokenizer/tokenizer_spec.h"

namespace outrider::model {

class MappedFile;

/// One of the feed-forward networks of a layer with experts.
struct ExpertWeights {
  Weight gate;                           // [ffn_width, width]
  Weight up;                             // [ffn_width, width]
  Weight down;                           // [width, ffn_width]
  Weight gate_bias, up_bias, down_bias;  // rows
};

/// One decoder layer. Norms are vectors [width]. A matrix's bias is a column with one number per row.
/// Weights that the architecture does not have are empty.
struct LayerWeights {
  Weight attn_norm, attn_norm_bias;
  Weight post_attn_norm, post_ffn_norm;  // of what is added to the residual stream
  Weight q;  // [heads * head_width, width], rows in half-split RoPE order
  Weight k;  // [kv_heads * head_width, width], likewise
  Weight v;  // [kv_heads * head_width, width]
  Weight o;  // [width, heads * head_width]
  Weight q_bias, k_bias, v_bias, o_bias;
  Weight q_norm;  // [head_width], of each query head before rotation
  Weight k_norm;  // [head_width], likewise of each key head
  Weight sinks;   // [heads] a score of no key, which takes its share of each row's attention
  Weight ffn_norm, ffn_norm_bias;
  Weight gate;  // [ffn_width, width]; empty if the activation is not gated
  Weight up;    // [ffn_width, width]
  Weight down;  // [width, ffn_width]
  Weight up_bias, down_bias;
  Weight router;                       // [experts, width]
  Weight router_bias;                  // [experts], a row
  std::vector<ExpertWeights> experts;  // in place of gate, up and down
};

/// A model, loaded or made in memory: shape, weights (views into mapped files and buffers, in their
/// stored types) and tokenizer specification.
struct Model {
  std::filesystem::path path;
  std::string name;  // from the file, for people
  ModelConfig config;
  Weight embedding;  // [vocab, width]
  Weight head;  // [vocab, width], equal to `embedding` when tied; trimmed: [head_tokens, width]
  bool tied = false;
  int original_context = 0;  // where extend_context went beyond it; 0: it did not
  /// The token of each row of the head, ascending ids; empty: row v is token v. A trimmed head has the
  /// rows of some tokens only, while every token can be read.
  std::vector<Token> head_tokens;
  Weight positions;                            // [first_position + context, width], if learned
  Weight embedding_norm, embedding_norm_bias;  // [width], of the embedded tokens, if any
  Weight state_projection;                     // [width, state_inputs], if any
  Weight final_norm, final_norm_bias;          // [width]; a model over states may have none
  std::vector<LayerWeights> layers;
  text::TokenizerSpec tokenizer;
  std::vector<std::shared_ptr<MappedFile>> files;  // own the bytes, with `buffers`
  std::vector<std::shared_ptr<const std::vector<std::byte>>> buffers;

  /// The first state of a token: its embedding, scaled.
  /// @param state  [width]
  void embed(Token token, float* state) const;
  /// The tokens of the head's rows, where `head_tokens` is empty too.
  std::vector<Token> tokens_of_head() const;
  /// Adds bytes that are not in a file. @return what they are for as long as any copy of the model lives
  std::span<const std::byte> keep(std::vector<std::byte> bytes);
  /// Memory of all that was added.
  std::size_t kept_bytes() const;
  /// @throws InputError if a file was written to since it was opened
  void check_unchanged() const;
  /// Lets the operating system drop the pages read so far; they are read again on access. Called once
  /// the engine has its own copy.
  void release_pages() const;
};

/// Opens a model: a GGUF file or a Hugging Face folder. Weights are not copied; sizes are checked before
/// anything is allocated.
/// @throws InputError naming the file and the key or tensor that is missing, duplicated, of the wrong
///         shape or type, or unknown
Model load_model(const std::filesystem::path& path);

/// The tokenizer alone, also of a model without weights.
/// @throws InputError likewise
text::TokenizerSpec load_tokenizer(const std::filesystem::path& path);

/// A GGUF file from bytes in memory, which must outlive the model.
/// @param name  of the file, for messages
Model parse_model(std::span<const std::byte> bytes, const std::string& name);

}  // namespace outrider::model
