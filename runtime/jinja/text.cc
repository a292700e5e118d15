#include "runtime/jinja/text.h"

#include <algorithm>

namespace outrider::jinja {

Text::Text(std::string input, Source source) : bytes_(std::move(input)) {
  mark(0, bytes_.size(), source);
}

void Text::append_part(const Text& other, std::size_t begin, std::size_t end) {
  const std::size_t at = bytes_.size();
  bytes_.append(other.bytes_, begin, end - begin);
  for (auto copied = other.first_after(begin); copied != other.copied_.end() && copied->begin < end;
       ++copied) {
    const std::size_t from = std::max(copied->begin, begin);
    const std::size_t to = std::min(copied->end, end);
    mark(at + from - begin, at + to - begin, copied->source);
  }
}

void Text::append_made(std::string_view made, const Text& from, std::size_t begin,
                       std::size_t end) {
  const std::size_t at = bytes_.size();
  bytes_ += made;
  bool any = false;
  Source source = kSomeInput;
  for (auto copied = from.first_after(begin); copied != from.copied_.end() && copied->begin < end;
       ++copied) {
    source = !any || source == copied->source ? copied->source : kSomeInput;
    any = true;
  }
  if (any) mark(at, bytes_.size(), source);
}

Text Text::part(std::size_t begin, std::size_t end) const {
  Text cut;
  cut.append_part(*this, begin, end);
  return cut;
}

std::vector<Copied>::const_iterator Text::first_after(std::size_t begin) const {
  return std::upper_bound(copied_.begin(), copied_.end(), begin,
                          [](std::size_t at, const Copied& copied) { return at < copied.end; });
}

void Text::mark(std::size_t begin, std::size_t end, Source source) {
  if (begin == end) return;
  if (!copied_.empty() && copied_.back().end == begin && copied_.back().source == source) {
    copied_.back().end = end;
  } else {
    copied_.push_back({begin, end, source});
  }
}

}  // namespace outrider::jinja
