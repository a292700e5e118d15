#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/tokenizer/tokenizer_spec.h"

namespace outrider::text {

/// The position of the system message in a format.
enum class SystemPosition : std::uint8_t {
  kTurn,       // before all other turns
  kFirstUser,  // at the start of the first user message
  kLastUser,   // at the start of the last one: it moves with every turn
  kNowhere,    // the format has none
};

/// The text around a message.
struct Frame {
  std::string before = {};
  std::string after = {};
};

/// How the turns of a family of models are written. `{bos}` and `{eos}` in the texts are replaced by the
/// model's own tokens in `for_model`.
struct ChatLayout {
  std::string name;        // of `--chat`
  std::string start = {};  // before everything
  Frame system = {};
  SystemPosition system_place = SystemPosition::kTurn;
  std::string default_system = {};
  bool always_system = false;  // its frame is written even without a message
  Frame user = {};
  std::string opening = {};      // starts the assistant's turn
  std::string lead = {};         // in front of an answer's words
  std::string closing = {};      // after an answer
  std::string end_of_turn = {};  // the token in `closing` that ends the answer
  bool strips_system = false;    // white space around messages is dropped
  bool strips_user = false;
  bool strips_answers = false;
  bool thinks = false;  // answers begin with <think>…</think>, removed from earlier answers
  bool is_raw = false;  // the user writes the whole text, special tokens included
  std::vector<std::string> marks = {};  // must be special tokens of the vocabulary

  /// This layout with the model's own tokens filled in.
  /// @throws InputError naming a mark that is not a special token of the vocabulary
  ChatLayout for_model(const TokenizerSpec& spec) const;
};

/// The layouts of `--chat`, in the order of its list.
const std::vector<ChatLayout>& chat_layouts();

/// The layout of this name.
std::optional<ChatLayout> find_layout(std::string_view name);

/// "chatml, llama-2, … or raw".
std::string layout_names();

}  // namespace outrider::text
