#include "runtime/commands/shown_text.h"

#include <unistd.h>

#include <string_view>

#include "runtime/base/output.h"

namespace outrider {

bool shows_colours(const DecodeRun& run) { return run.attributes && ::isatty(STDOUT_FILENO) != 0; }

void ShownText::show(const inference::TextSoFar& text) {
  coloured_ ? show_coloured(text) : show_plain(text);
}

void ShownText::show_plain(const inference::TextSoFar& text) {
  const std::string_view more = std::string_view(text.text).substr(shown_);
  if (!more.empty()) write_output(more);
  shown_ = text.text.size();
  if (!text.ended) return;
  if (text.text.empty() || text.text.back() != '\n') write_output("\n");
  shown_ = 0;
}

void ShownText::show_coloured(const inference::TextSoFar& text) {
  if (!colours_) colours_.emplace(text.copied);
  if (!text.ended) return write_output(colours_->add(text.made, text.text));
  write_output(colours_->rest(text.text) + "\n");
  colours_.reset();
}

}  // namespace outrider
