#include "runtime/commands/inspect.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <memory>

#include "runtime/base/atomic_file.h"
#include "runtime/base/output.h"
#include "runtime/commands/model_facts.h"

namespace outrider {
namespace {

struct InspectOptions {
  std::string file;
  bool tensors = false;
  std::string json;
};

/// 49152 as "49,152".
template <typename Integer>
std::string grouped(Integer number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

/// Text of the file's, harmless to a terminal; line feeds are kept.
std::string printable(const std::string& text) {
  std::string safe;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if ((byte < 0x20 && letter != '\n') || byte == 0x7F) {
      safe += fmt::format("\\x{:02x}", byte);
    } else {
      safe += letter;
    }
  }
  return safe;
}

/// Lines of a name and what it is; further lines of a value stand below its first.
class Sheet {
 public:
  void add(std::string_view name, const std::string& value) {
    text_ += fmt::format("{:<14} ", name);
    for (const char letter : value) {
      text_ += letter;
      if (letter == '\n') text_.append(15, ' ');
    }
    text_ += '\n';
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

void add_model(const model::ModelConfig& config, bool tied, Sheet& sheet) {
  sheet.add("layers", std::to_string(config.layers));
  sheet.add("width", fmt::format("{}, feed-forward {}", config.width, config.ffn_width));
  sheet.add("heads", fmt::format("{} of width {}, {} for keys and values", config.heads,
                                 config.head_width, config.kv_heads));
  sheet.add("vocabulary", grouped(config.vocab) + " tokens");
  sheet.add("context", grouped(config.context) + " tokens");
  sheet.add("rotary base", fmt::format("{}", config.rope_base));
  sheet.add("norm epsilon", fmt::format("{}", config.norm_epsilon));
  sheet.add("head", tied ? "the embedding (tied)" : "of its own");
}

void add_tokenizer(const text::TokenizerSpec& spec, Sheet& sheet) {
  const auto shown = [&](Token token) {
    return fmt::format("{} {}", token, printable(spec.tokens[static_cast<std::size_t>(token)]));
  };
  sheet.add("tokenizer", fmt::format("{}, pre-tokenizer {}, {} merges", printable(spec.model),
                                     spec.pre.empty() ? "not named" : printable(spec.pre),
                                     grouped(spec.merges.size())));
  sheet.add("before a text", spec.add_bos ? shown(spec.bos) : "nothing");
  std::vector<std::string> ends;
  for (const Token token : spec.end_tokens) ends.push_back(shown(token));
  sheet.add("end tokens", ends.empty() ? "none" : fmt::format("{}", fmt::join(ends, ", ")));
  sheet.add("chat template", spec.chat_template.empty() ? "none" : printable(spec.chat_template));
}

std::string text_of(const ModelFacts& facts, bool with_tensors) {
  Sheet sheet;
  sheet.add("file", fmt::format("{} ({} bytes, GGUF version {})", facts.path.string(),
                                grouped(facts.file_bytes), facts.gguf_version));
  for (const auto& [key, value] : facts.general) sheet.add(printable(key), printable(value));
  const auto& described = facts.description;
  if (described) add_model(described->config, described->tied, sheet);
  sheet.add("parameters", grouped(facts.parameters));
  for (const ModelFacts::TypeUse& use : facts.types) {
    sheet.add("  " + use.type, fmt::format("{} {}, {} numbers, {} bytes", use.tensors,
                                           use.tensors == 1 ? "tensor" : "tensors",
                                           grouped(use.numbers), grouped(use.bytes)));
  }
  if (described) {
    add_tokenizer(described->tokenizer, sheet);
    sheet.add("chat format", described->chat_format.empty() ? "none that is known: pass --chat"
                                                            : described->chat_format);
  }
  if (!facts.refusal.empty()) sheet.add("not decodable", printable(facts.refusal));
  if (!with_tensors) return sheet.text();
  std::string text = sheet.text() + "tensors\n";
  for (const ModelFacts::Tensor& tensor : facts.tensors) {
    text += fmt::format("  {:<28} {:<5} [{}] {} bytes\n", printable(tensor.name), tensor.type,
                        fmt::join(tensor.shape, ", "), grouped(tensor.bytes));
  }
  return text;
}

void inspect(const InspectOptions& options) {
  const ModelFacts facts = read_model_facts(options.file);
  if (options.json == "-") return write_output(json_of(facts));
  if (!options.json.empty()) write_file_atomically(options.json, json_of(facts));
  write_output(text_of(facts, options.tensors));
}

}  // namespace

Command add_inspect(CLI::App& app) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App* command = app.add_subcommand("inspect", "Print what a model file holds");
  command->add_option("FILE", options->file, "A model file (GGUF)")->required();
  command->add_flag("--tensors", options->tensors, "List every tensor");
  command->add_option("--json", options->json,
                      "Also write everything to this file as JSON; - is standard output, in place "
                      "of the text");
  return {command, [options] { inspect(*options); }};
}

}  // namespace outrider
