#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/tokenizer/tokenizer_spec.h"

namespace outrider::text {

/// Where a format puts the system message.
enum class SystemPlace : std::uint8_t {
  kTurn,       // before all other turns
  kFirstUser,  // at the head of the first user message
  kLastUser,   // at the head of the last one: it moves as the conversation goes on
  kNowhere,    // the format has none
};

/// What stands around a message.
struct Frame {
  std::string before = {};
  std::string after = {};
};

/// How the turns of a family of models are written, as a table row. `{bos}` and `{eos}` in its texts
/// stand for the model's own tokens of those names until `for_model` puts them in.
struct ChatLayout {
  std::string name;        // as `--chat` calls it
  std::string start = {};  // before everything
  Frame system = {};
  SystemPlace system_place = SystemPlace::kTurn;
  std::string default_system = {};
  bool always_system = false;  // its frame is written without a message too
  Frame user = {};
  std::string opening = {};      // asks for an answer
  std::string lead = {};         // what an answer begins with, before its words
  std::string closing = {};      // after an answer
  std::string end_of_turn = {};  // the token in `closing` that ends the answer
  bool strips_system = false;    // white space around messages is dropped
  bool strips_user = false;
  bool strips_answers = false;
  bool thinks = false;  // answers begin with <think>…</think>, which earlier ones lose
  bool is_raw = false;  // messages are written out by the user, special tokens included
  std::vector<std::string> marks = {};  // must be special tokens of the vocabulary

  /// The same with the model's own tokens in place.
  /// @throws InputError naming a mark for which the vocabulary has no special token
  ChatLayout for_model(const TokenizerSpec& spec) const;
};

/// The layouts that `--chat` names, in the order in which it lists them.
const std::vector<ChatLayout>& chat_layouts();

/// The one called so.
std::optional<ChatLayout> find_layout(std::string_view name);

/// "chatml, llama-2, … or raw".
std::string layout_names();

/// The layout whose marks a template writes that is not known, as a hint for its user; empty if none.
std::string nearest_layout(std::string_view jinja);

}  // namespace outrider::text
