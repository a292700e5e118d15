#include "runtime/cli/draft_flags.h"

#include <fmt/core.h>

#include <cctype>

#include "runtime/cli/read_files.h"
#include "runtime/methods/draft_model_settings.h"

namespace outrider::cli {

Option declare_draft_flags(CommandOptions& command, std::string& draft, std::optional<int>& vocab,
                           const std::string& use) {
  Option of_file =
      command.add_option("--draft", draft,
                         fmt::format("The draft model: a GGUF file, a Hugging Face folder or an "
                                     "artifact file{}{} (default: that of the artifacts)",
                                     use.empty() ? "" : "; ", use));
  of_file.type_name(methods::kFileValue).reads(drafter_at);
  const methods::Setting setting = methods::draft_vocab_setting();
  std::string help = setting.help;
  help.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(help.front())));
  command.add_option("--" + setting.name, vocab, help)
      .check(whole_number(methods::kDraftVocabRange.low, methods::kDraftVocabRange.high))
      .rare();
  return of_file;
}

}  // namespace outrider::cli
