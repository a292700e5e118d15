#pragma once

#include <string>

#include "runtime/cost/trials.h"
#include "runtime/methods/method_target.h"
#include "runtime/methods/prepared_method.h"
#include "runtime/methods/setting.h"

namespace outrider::methods {

/// What else a method can be used for.
struct Capabilities {
  /// Its drafts are stretches of the text so far, so that texts can be attributed.
  bool copies = false;
  /// Its drafts can be verified in the same tree as another method's.
  bool is_source = false;
  /// Can draft at each step as many tokens as are fastest there: what draft length 0 asks for.
  bool chooses_lengths = false;
  /// Drafts any number of drafts of any length at once: --drafts and --draft-length.
  bool drafts_in_grids = false;
  /// Above temperature 0 the text depends on the drafts, and only its distribution does not.
  bool changes_text = false;
};

/// The most that --draft-length takes.
inline constexpr int kMostDraftLength = 256;

/// A way to draft, with its settings: a value of `--method`. Several can be configured at the same
/// time. README.md in this folder explains how to add one.
class Method {
 public:
  virtual ~Method() = default;

  /// The name for `--method`.
  virtual std::string name() const = 0;
  /// Its drafts in half a sentence, for the help.
  virtual std::string summary() const = 0;
  virtual Capabilities capabilities() const { return {}; }

  /// Visits all its settings, in the order of the help.
  virtual void visit(SettingVisitor& /*visitor*/) {}
  /// Of a method that copies: where its settings do not say, copies end where the source does or after kDraftLength
  /// tokens, and not where they would be fastest. Attribution needs them whole.
  virtual void copy_whole() {}
  /// The greatest draft length that `prepare` takes.
  /// @throws InputError as `prepare`, where a file says it
  virtual int longest_draft(const MethodTarget& /*target*/) const { return kMostDraftLength; }

  /// What is kept low among trials of its settings that are predicted to be alike.
  virtual cost::Preference preference() const { return {}; }

  /// Completes the settings from the target's calibration results, checks them, and loads the
  /// tables and weights that drafters share.
  /// @throws InputError naming the flag or the file
  virtual PreparedMethod prepare(const MethodTarget& target) const = 0;
};

}  // namespace outrider::methods
