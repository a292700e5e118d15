#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "runtime/base/error.h"
#include "runtime/jinja/budget.h"
#include "runtime/jinja/civil_time.h"
#include "runtime/jinja/text.h"
#include "runtime/jinja/value.h"

namespace outrider::jinja {

/// A template that cannot be read, or not be rendered with what it was given. The message has line and
/// column.
class TemplateError : public InputError {
 public:
  using InputError::InputError;
};

/// What a template refuses by `raise_exception`; the message is its own.
class TemplateRefusal : public TemplateError {
 public:
  using TemplateError::TemplateError;
};

/// A template in the Jinja language as transformers' `apply_chat_template` offers it: white space around
/// blocks is trimmed, `break` and `continue` are there, as are `raise_exception`, `strftime_now` and
/// `generation` blocks, which do nothing; `tojson` is Python's own; values given cannot be changed. Written
/// after Jinja's documentation (https://jinja.palletsprojects.com) and checked against jinja2 itself
/// (tests/golden/make_templates.py). Not here: templates that include others, and Markup.
class Template {
 public:
  /// @throws TemplateError
  explicit Template(std::string_view source);
  ~Template();

  /// @param variables  by names
  /// @param now  the time that `strftime_now` writes
  /// @throws TemplateError for what the template cannot do with them, and where it goes beyond a
  ///         limit; TemplateRefusal
  Text render(const Dict& variables, const CivilTime& now, const Limits& limits = {}) const;

  /// Whether it uses a name, as a variable or otherwise; words of its text do not count.
  bool mentions(std::string_view name) const;

 private:
  struct Parsed;
  std::unique_ptr<const Parsed> parsed_;
};

}  // namespace outrider::jinja
