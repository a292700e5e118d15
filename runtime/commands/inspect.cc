#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "runtime/base/error.h"
#include "runtime/base/output.h"
#include "runtime/base/output_file.h"
#include "runtime/cli/read_files.h"
#include "runtime/commands/artifact_report.h"
#include "runtime/commands/commands.h"
#include "runtime/commands/model_facts.h"
#include "runtime/hdf5/checksum.h"
#include "runtime/report/sheet.h"
#include "runtime/tokenizer/end_tokens.h"

namespace outrider {
namespace {

struct InspectOptions {
  std::string file;
  bool tensors = false;
  std::string json;
};

void add_model(const model::ModelConfig& config, bool tied, report::Sheet& sheet) {
  sheet.add("layers", std::to_string(config.layers));
  sheet.add("width", fmt::format("{}, feed-forward {}", config.width, config.ffn_width));
  sheet.add("heads", fmt::format("{} of width {}, {} for keys and values", config.heads,
                                 config.head_width, config.kv_heads));
  sheet.add("vocabulary", report::grouped(config.vocab) + " tokens");
  sheet.add("context", config.long_context == 0
                           ? report::grouped(config.context) + " tokens"
                           : fmt::format("{} tokens, {} with --ctx beyond that",
                                         report::grouped(config.context),
                                         report::grouped(config.long_context)));
  const auto windowed = [](int window) { return window > 0; };
  const auto first = std::find_if(config.windows.begin(), config.windows.end(), windowed);
  if (first != config.windows.end()) {
    const auto layers = std::count_if(first, config.windows.end(), windowed);
    sheet.add("window", fmt::format("{} tokens in {} of {} layers", report::grouped(*first), layers,
                                    config.layers));
  }
  if (config.positions == model::Positions::kRotary) {
    sheet.add("rotary base", fmt::format("{}", config.rope_base));
  } else {
    sheet.add("positions", model::name_of(config.positions));
  }
  sheet.add("norm epsilon", fmt::format("{}", config.norm_epsilon));
  sheet.add("head", tied ? "the embedding (tied)" : "separate");
}

void add_tokenizer(const text::TokenizerSpec& spec, report::Sheet& sheet) {
  const auto shown = [&](Token token) {
    return fmt::format("{} {}", token,
                       report::printable(spec.tokens[static_cast<std::size_t>(token)]));
  };
  sheet.add("tokenizer",
            fmt::format("{}, pre-tokenizer {}, {} merges", report::printable(spec.model),
                        spec.pre.empty() ? "not named" : report::printable(spec.pre),
                        report::grouped(std::ssize(spec.merges))));
  sheet.add("before a text", spec.add_bos ? shown(spec.bos) : "nothing");
  std::vector<std::string> ends;
  for (const Token token : text::end_tokens(spec)) ends.push_back(shown(token));
  sheet.add("end tokens", ends.empty() ? "none" : fmt::format("{}", fmt::join(ends, ", ")));
  sheet.add("chat template",
            spec.chat_template.empty() ? "none" : report::printable(spec.chat_template));
}

std::string text_of(const ModelFacts& facts, bool with_tensors) {
  report::Sheet sheet;
  const std::string format = facts.gguf_version
                                 ? fmt::format("GGUF version {}", *facts.gguf_version)
                                 : "safetensors of a Hugging Face folder";
  sheet.add("file",
            fmt::format("{} ({} bytes, {})", facts.path.string(),
                        report::grouped(static_cast<std::int64_t>(facts.file_bytes)), format));
  for (const auto& [key, value] : facts.general)
    sheet.add(report::printable(key), report::printable(value));
  const auto& described = facts.description;
  if (described) add_model(described->config, described->tied, sheet);
  sheet.add("parameters", report::grouped(facts.parameters));
  for (const ModelFacts::TypeUse& use : facts.types) {
    sheet.add("  " + use.type,
              fmt::format("{} {}, {} numbers, {} bytes", use.tensors,
                          use.tensors == 1 ? "tensor" : "tensors", report::grouped(use.numbers),
                          report::grouped(static_cast<std::int64_t>(use.bytes))));
  }
  if (described) {
    add_tokenizer(described->tokenizer, sheet);
    sheet.add("chat format",
              described->chat_format.empty()    ? report::printable(described->chat_refusal)
              : described->chat_format == "raw" ? "raw: texts are continued as they are"
                                                : "the model's own template");
  }
  if (!facts.refusal.empty()) sheet.add("not decodable", report::printable(facts.refusal));
  if (!with_tensors) return sheet.text();
  std::string text = sheet.text() + "tensors\n";
  for (const ModelFacts::Tensor& tensor : facts.tensors) {
    text += fmt::format("  {:<28} {:<5} [{}] {} bytes\n", report::printable(tensor.name),
                        tensor.type, fmt::join(tensor.shape, ", "),
                        report::grouped(static_cast<std::int64_t>(tensor.bytes)));
  }
  return text;
}

/// Makes only what is printed: of a folder of artifacts each takes most of a second.
/// @param text, json  functions that make a string
template <typename Text, typename Json>
void print(const InspectOptions& options, const Text& text, const Json& json) {
  OutputFile out("--json", options.json);
  if (out.is_wanted()) out.write_all(json());
  if (!out.is_standard_output()) write_output(text());
}

void inspect(const InspectOptions& options) {
  const bool is_folder = holds_artifacts(options.file);
  if (is_folder || std::filesystem::path(options.file).extension() == ".h5" ||
      hdf5::looks_like_hdf5(options.file)) {
    if (options.tensors) throw InputError("--tensors: only for a model file; this is an artifact");
    const auto print_all = [&](const auto& known) {
      print(
          options, [&] { return artifact_text(known); }, [&] { return artifact_json(known); });
    };
    return is_folder ? print_all(artifacts::ArtifactFolder(options.file))
                     : print_all(artifacts::ArtifactFile(options.file));
  }
  const ModelFacts facts = read_model_facts(options.file);
  print(
      options, [&] { return text_of(facts, options.tensors); }, [&] { return json_of(facts); });
}

}  // namespace

cli::Command add_inspect(CLI::App& program) {
  auto options = std::make_shared<InspectOptions>();
  cli::CommandOptions command(program, "inspect",
                              "Print the contents of a model file or an artifact");
  command
      .add_option("FILE", options->file,
                  "A GGUF file, a Hugging Face folder, an artifact (HDF5) or a folder of these, "
                  "read as one")
      .required()
      .reads(cli::drafter_at);
  command.add_flag("--tensors", options->tensors, "List every tensor");
  command
      .add_option(
          "--json", options->json,
          "Also write everything to this file as JSON; - is standard output, instead of the text")
      .type_name("FILE")
      .writes();
  return {command, [options] { inspect(*options); }};
}

}  // namespace outrider
