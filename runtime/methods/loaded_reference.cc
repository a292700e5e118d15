#include "runtime/methods/loaded_reference.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "runtime/base/stopwatch.h"
#include "runtime/prompt_files/text_files.h"
#include "runtime/tokenizer/tokenizer.h"

namespace outrider::methods {
namespace {

draft::ReferenceIndex load_reference(const MethodTarget& target,
                                     const std::vector<std::string>& files) {
  const Stopwatch watch;
  const text::Tokenizer tokenizer(target.model().tokenizer);
  std::vector<Token> tokens;
  const text::TextFiles found =
      text::read_text_files("--reference", files, [&](const std::string& one) {
        const std::vector<Token> more = tokenizer.encode(one, false);
        tokens.insert(tokens.end(), more.begin(), more.end());
        tokens.push_back(draft::ReferenceIndex::kEnd);
      });
  const auto count = tokens.size() - static_cast<std::size_t>(found.files);
  draft::ReferenceIndex index(tokens);
  std::string left_out;
  if (found.no_text > 0) left_out += fmt::format("; {} without text left out", found.no_text);
  if (found.too_large > 0)
    left_out +=
        fmt::format("; {} above {} bytes left out", found.too_large, text::kMostBytesOfTextFile);
  target.inform(
      fmt::format("reference: {} files, {} bytes, {} tokens, indexed in {:.1f} s and {} bytes{}",
                  found.files, found.bytes, count, watch.seconds(), index.bytes(), left_out));
  return index;
}

}  // namespace

PreparedMethod::NewDrafter with_reference(const MethodTarget& target,
                                          const std::vector<std::string>& files,
                                          PreparedMethod::NewDrafter copiers,
                                          const draft::WithReferenceOptions& options) {
  if (files.empty()) return copiers;
  std::string name;
  for (const std::string& file : files) name += file + '\0';
  const auto reference =
      target.load_once<draft::ReferenceIndex>(name, [&] { return load_reference(target, files); });
  return [reference, options, copiers = std::move(copiers)] {
    return std::make_unique<draft::WithReference>(copiers(), reference, options);
  };
}

}  // namespace outrider::methods
