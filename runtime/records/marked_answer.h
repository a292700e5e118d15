#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace outrider::text {

/// A stretch of a text and the number of the source that it belongs to; in bytes.
struct SourceSpan {
  std::size_t begin;
  std::size_t end;
  int source;
};

/// An answer without its marks, and what they marked.
struct MarkedAnswer {
  std::string text;
  std::vector<SourceSpan> spans;
};

/// Reads an answer that marks what it copied with the number of the source, as QuoteSum (Schuster et
/// al. 2023) does: "It is [ 2 a bird ] ." is the text "It is a bird ." with "a bird" of source 2.
MarkedAnswer read_marked_answer(std::string_view marked);

/// The sources of a prompt: each begins with a line "Source 2 (title): text" and goes on to the next,
/// to a line "Question: …", or to the end.
std::vector<SourceSpan> find_sources(std::string_view prompt);

}  // namespace outrider::text
