#include "runtime/tokenizer/normaliser.h"

#include "runtime/tokenizer/normal_form.h"

namespace outrider::text {
namespace {

std::string taken(const NormalStep& step, std::string_view text) {
  switch (step.kind) {
    case NormalStep::Kind::kFormC:
      return normal_form_c(text);
    case NormalStep::Kind::kPrepend:
      return text.empty() ? std::string() : step.to + std::string(text);
    case NormalStep::Kind::kReplace:
      break;
  }
  return replace_all(text, step.from, step.to);
}

}  // namespace

std::string_view Normaliser::apply(std::string_view text, std::string& storage) const {
  for (const NormalStep& step : steps_) {
    storage = taken(step, text);
    text = storage;
  }
  return text;
}

std::string replace_all(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  out.reserve(text.size());
  std::size_t done = 0;
  for (std::size_t at = text.find(from); at != std::string_view::npos; at = text.find(from, done)) {
    out += text.substr(done, at - done);
    out += to;
    done = at + from.size();
  }
  out += text.substr(done);
  return out;
}

}  // namespace outrider::text
