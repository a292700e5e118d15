#include "runtime/methods/wrap_settings.h"

#include <fmt/format.h>

#include "runtime/methods/sources.h"

namespace outrider::methods {

void visit_wrap(SettingVisitor& visitor, WrapSettings& settings) {
  visitor.texts({"sources",
                 fmt::format("other methods whose drafts are verified in the same tree: {}",
                             fmt::join(possible_sources(), ", ")),
                 "METHOD"},
                settings.sources);
  visitor.flag({"copy-first",
                "drafts are copied from the text where such a copy is expected to be fast enough "
                "(--copy-min-speed-up); its source is ranked as in pld-plus-h if `calibrate layer` "
                "found lengths for each step, else by the last tokens as in pld; otherwise the "
                "method's own are drafted"},
               settings.copy_first.on);
  visitor.real(
      {"copy-min-speed-up",
       "with --copy-first: the least expected speed-up of a copy over plain decoding; without this "
       "flag the speed-up of the method's own drafts that calibration found, or 1.5"},
      {1, 100}, settings.copy_first.least_speed_up);
  visit_reference(visitor, settings.reference);
  visit_guard(visitor, settings.guard);
}

void visit_reference(SettingVisitor& visitor, std::vector<std::string>& files) {
  visitor.texts({"reference",
                 "text files of your own, and folders of them, that answers may repeat: source "
                 "code, documents, earlier answers; drafts are copied from there too, where at "
                 "least 4 of the last tokens match, 8 before other drafts, and three times as many "
                 "as in the text; with a method that copies nothing itself only with --copy-first",
                 kFileValue},
                files);
}

void visit_guard(SettingVisitor& visitor, std::string& value, const std::string& method_help) {
  visitor.text({.name = "guard",
                .help = "on: drafting pauses in a text where the drafts cost more passes than they "
                        "save, by this machine's costs, and is tried again after 16 tokens, then "
                        "32 and so on up to 128; without this flag off",
                .method_help = method_help},
               {"on", "off"}, value);
}

}  // namespace outrider::methods
