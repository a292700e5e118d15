#include "runtime/methods/method.h"

#include <fmt/format.h>

#include <stdexcept>

#include "runtime/base/error.h"
#include "runtime/cli/decode_options.h"
#include "runtime/draft/copy/pld.h"
#include "runtime/draft/ngram/context_ngram.h"
#include "runtime/methods/ngram_settings.h"
#include "runtime/methods/pld_plus_settings.h"

namespace outrider {
namespace {

/// All there is to know about a method: a new one is one more line of `methods`.
struct Method {
  std::string name;
  std::string summary;
  std::set<std::string> flags;
  std::unique_ptr<draft::Drafter> (*make)(const DecodeOptions&);
  /// Completes the options from what was calibrated; nullptr if there is nothing to complete.
  void (*settle)(DecodeOptions&, const model::Model&, const engine::Engine&) = nullptr;
};

const std::vector<Method>& methods() {
  static const std::vector<Method> all = {
      {"ar",
       "plain decoding",
       {},
       [](const DecodeOptions&) { return std::unique_ptr<draft::Drafter>(); }},
      {"pld",
       "copies what followed the last n-gram",
       {"ngram", "draft-length", "attribute", "min-span"},
       [](const DecodeOptions& options) -> std::unique_ptr<draft::Drafter> {
         return std::make_unique<draft::Pld>(
             draft::PldOptions{options.ngram, options.draft_length.value_or(kDraftLength)});
       }},
      {"context-ngram",
       "the likeliest continuations in the text so far of its last tokens",
       {"query", "drafts", "rows", "draft-length"},
       [](const DecodeOptions& options) -> std::unique_ptr<draft::Drafter> {
         return std::make_unique<draft::ContextNgram>(
             draft::ContextNgramOptions{options.query, options.draft_length.value_or(kDraftLength),
                                        options.drafts.value_or(kDrafts), form_of(options)});
       }},
      {"pld-plus-h",
       "copies from where the target's hidden states are the most alike",
       {"layer", "threshold", "logit-weight", "draft-length", "branches", "artifacts", "attribute",
        "min-span"},
       make_pld_plus_h,
       settle_pld_plus_h},
      {"pld-plus-a",
       "copies from where the target's heads attend",
       {"heads", "aggregation", "draft-length", "branches", "artifacts", "attribute", "min-span"},
       make_pld_plus_a,
       settle_pld_plus_a},
      {"unigram",
       "the same single tokens always, ranked by the model's embeddings",
       {"drafts", "rows", "artifacts"},
       make_unigram,
       settle_ngrams},
      {"bigram",
       "what the model says after the last token alone, extended token by token",
       {"drafts", "rows", "draft-length", "artifacts"},
       make_bigram,
       settle_ngrams},
      {"ngrammys",
       "context-ngram, filled up with bigram",
       {"query", "drafts", "rows", "draft-length", "artifacts"},
       make_ngrammys,
       settle_ngrams},
  };
  return all;
}

const Method& find(const std::string& name) {
  for (const Method& method : methods()) {
    if (method.name == name) return method;
  }
  throw std::logic_error("method: no such name");
}

}  // namespace

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const Method& method : methods()) names.push_back(method.name);
  return names;
}

std::vector<std::string> methods_with_flag(const std::string& flag) {
  std::vector<std::string> users;
  for (const Method& method : methods()) {
    if (method.flags.count(flag) > 0) users.push_back(method.name);
  }
  return users;
}

std::string method_help() {
  std::string help = "How to draft";
  const char* separator = ": ";
  for (const Method& method : methods()) {
    help += fmt::format("{}{} ({})", separator, method.name, method.summary);
    separator = ", ";
  }
  return help;
}

void settle_method(DecodeOptions& options, const model::Model& model,
                   const engine::Engine& engine) {
  if (const auto settle = find(options.method).settle) settle(options, model, engine);
  if (options.draft_length == 0 && options.draft_lengths == nullptr)
    throw InputError(
        "--draft-length: expected at least 1; 0 is for pld-plus-h and pld-plus-a with the layer or "
        "the heads that calibration chose, where the artifact file has lengths for each step");
}

std::unique_ptr<draft::Drafter> make_drafter(const DecodeOptions& options) {
  return find(options.method).make(options);
}

const std::set<std::string>& flags_of_method(const std::string& method) {
  return find(method).flags;
}

bool attributes(const DecodeOptions& options) {
  return options.attribute && find(options.method).flags.count("attribute") > 0;
}

void check_method_flags(const DecodeOptions& options) {
  for (const std::string& flag : options.given) {
    const std::vector<std::string> users = methods_with_flag(flag);
    if (users.empty() || find(options.method).flags.count(flag) > 0) continue;
    throw InputError(fmt::format("--{}: not used by --method {}, only by {}", flag, options.method,
                                 fmt::join(users, ", ")));
  }
}

}  // namespace outrider
