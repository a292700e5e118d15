// The template language against jinja2 as transformers sets it up: golden/make_templates.py.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "runtime/base/text_file.h"
#include "runtime/jinja/from_json.h"
#include "runtime/jinja/template.h"
#include "tests/support/source_path.h"

namespace outrider::jinja {
namespace {

using nlohmann::ordered_json;

const ordered_json& golden() {
  static const ordered_json read = ordered_json::parse(
      read_text_file(test::source_path("tests/golden/templates.json"), std::size_t{1} << 24));
  return read;
}

CivilTime now() {
  const ordered_json& time = golden()["now"];
  return {time[0], time[1], time[2], time[3], time[4], time[5]};
}

Dict variables(const ordered_json& conversation) {
  Dict all;
  all.set("tools", None{});
  all.set("documents", None{});
  all.set("add_generation_prompt", true);
  all.set("bos_token", "<s>");
  all.set("eos_token", "</s>");
  for (const auto& [name, value] : conversation.items()) all.set(Value(name), from_json(value, 0));
  return all;
}

/// Sees that a template gives the text, or is refused where that is null.
void expect_rendered(const std::string& source, const Dict& given, const ordered_json& rendered) {
  SCOPED_TRACE(source);
  try {
    const std::string text = Template(source).render(given, now()).bytes();
    EXPECT_EQ(ordered_json(text), rendered);
  } catch (const TemplateError& error) {
    EXPECT_TRUE(rendered.is_null()) << error.what();
  }
}

TEST(JinjaGolden, TemplatesAreRenderedAsByJinja) {
  ASSERT_GE(golden()["templates"].size(), 40u);
  for (const ordered_json& one : golden()["templates"]) {
    SCOPED_TRACE(one["name"].get<std::string>());
    for (std::size_t i = 0; i < one["rendered"].size(); ++i) {
      expect_rendered(one["source"], variables(golden()["conversations"][i]), one["rendered"][i]);
    }
  }
}

TEST(JinjaGolden, ExpressionsHaveTheValuesOfJinja) {
  ASSERT_GE(golden()["expressions"].size(), 80u);
  const Dict given = variables(golden()["conversations"][2]);
  for (const ordered_json& one : golden()["expressions"])
    expect_rendered(one["source"], given, one["value"]);
}

}  // namespace
}  // namespace outrider::jinja
