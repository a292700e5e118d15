#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace outrider::text {

/// A span of a text, in bytes, and the number of its source.
struct SourceSpan {
  std::size_t begin;
  std::size_t end;
  int source;
};

/// An answer without its annotations, and the annotated spans.
struct MarkedAnswer {
  std::string text;
  std::vector<SourceSpan> spans;
};

/// Reads an answer whose quotes are annotated with the number of the source, as in QuoteSum (Schuster et
/// al. 2023): "It is [ 2 a bird ] ." is the text "It is a bird ." with "a bird" from source 2.
MarkedAnswer read_marked_answer(std::string_view marked);

/// The sources of a prompt: each begins with a line "Source 2 (title): text" and extends to the next
/// source, to a line "Question: …", or to the end.
std::vector<SourceSpan> find_sources(std::string_view prompt);

}  // namespace outrider::text
