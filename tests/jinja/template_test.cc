// Limits, messages and origins of the template language; its values are in golden_test.cc.

#include "runtime/jinja/template.h"

#include <gtest/gtest.h>

#include "tests/support/expect_input_error.h"

namespace outrider::jinja {
namespace {

std::string render(const std::string& source, const Dict& variables = {},
                   const Limits& limits = {}) {
  return Template(source).render(variables, {}, limits).bytes();
}

/// The parts of what a template writes that came from a user's "<A>" (source 1) and "<B>" (2).
std::string copied(const std::string& source) {
  Dict variables;
  variables.set("a", Text("<A>", 1));
  variables.set("b", Text("<B>", 2));
  const Text text = Template(source).render(variables, {});
  std::string parts;
  for (const Copied& part : text.copied()) {
    parts += std::to_string(part.source) + ":" +
             text.bytes().substr(part.begin, part.end - part.begin) + ";";
  }
  return parts;
}

TEST(Jinja, KnowsWhatWasCopiedFromTheInputs) {
  EXPECT_EQ(copied("<A>{{ a }}<B>"), "1:<A>;");
  EXPECT_EQ(copied("{{ '<A>' + a + '<|x|>' ~ b }}"), "1:<A>;2:<B>;");
  EXPECT_EQ(copied("{{ a + a }}{{ b[1:] }}"), "1:<A><A>;2:B>;");
  EXPECT_EQ(copied("{{ (' ' + a + ' ')|trim }}"), "1:<A>;");
  EXPECT_EQ(copied("{{ (a + ',' + b).split(',')[1] }}"), "2:<B>;");
  EXPECT_EQ(copied("{{ '<x>'.replace('x', b) }}"), "2:<B>;");
  EXPECT_EQ(copied("{{ [a, b]|join('<>') }}"), "1:<A>;2:<B>;");
  EXPECT_EQ(copied("{{ [a]|tojson }}{{ {'<k>': b} }}"), "1:<A>;2:<B>;");
  EXPECT_EQ(copied("{{ '%s!' % a }}{{ '{}'.format(b) }}"), "1:<A>;2:<B>;");
  EXPECT_EQ(copied("{{ a|lower|upper|title }}{{ b[::-1] }}"), "1:<A>;2:>B<;");
  EXPECT_EQ(copied("{% set x %}{{ a }}{% endset %}{% macro m(y) %}{{ y }}{% endmacro %}{{ m(x) }}"),
            "1:<A>;");
  EXPECT_EQ(copied("{% for c in a %}{{ c }}.{% endfor %}"), "1:<;1:A;1:>;");
  EXPECT_EQ(copied("{{ (a + b).split('><')|join('><') }}"), "1:<A;2:B>;");
}

TEST(Jinja, MessagesHaveLineAndColumn) {
  test::expect_input_error([] { render("a\n  {% if %}"); },
                           "line 2, column 9: ", "expected an expression");
  test::expect_input_error([] { render("\n\n{{ 'é' + x.y }}"); },
                           "line 3, column 11: 'x' is undefined");
  test::expect_input_error([] { render("{{ 'é' + 1 }}"); },
                           "line 1, column 8: ", "a string + an integer");
  test::expect_input_error([] { render("{{ 'x }}"); }, "line 1, column 4: ", "has no end");
  test::expect_input_error([] { render("{# x"); }, "line 1, column 1: ", "a comment has no end");
  test::expect_input_error([] { render("{% for x in y %}"); }, "{% endfor %}");
  test::expect_input_error([] { render("{% include 'x' %}"); }, "column 1: unknown tag 'include'");
  test::expect_input_error([] { render("{{ 1|nothing }}"); }, "unknown filter 'nothing'");
  test::expect_input_error([] { render("{{ 1 is nothing }}"); }, "unknown test 'nothing'");
  test::expect_input_error([] { render("{{ 'a'.replace('b') }}"); }, "replace: 'new' is missing");
  test::expect_input_error([] { render("{{ 'a'|replace('b', 'c', of=1) }}"); },
                           "unknown argument 'of'");
  test::expect_input_error([] { render("{{ [1].append(2) }}"); }, "append() would change a list");
  test::expect_input_error([] { render("{{ raise_exception('no tools') }}"); },
                           "it refuses the conversation: no tools");
  test::expect_input_error([] { render("{{ 9223372036854775807 + 1 }}"); }, "64 bits");
}

TEST(Jinja, LimitsEndWhatWouldNot) {
  const Limits few{.steps = 100'000, .bytes = 1'000'000, .output = 1000, .depth = 100};
  const auto expect_ended = [&](const std::string& source, const char* message) {
    test::expect_input_error([&] { render(source, {}, few); }, message);
  };
  expect_ended("{{ 'a'|truncate(255, leeway=-1000) }}", "leeway");
  expect_ended("{{ 9223372036854775807|round(-19) }}", "beyond 64 bits");
  EXPECT_EQ(render("{{ 'a'|truncate(9223372036854775807) }}"), "a");
  expect_ended("{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
               "steps");
  expect_ended(
      "{% set ns = namespace(l=[1]) %}{% for i in range(99) %}{% set ns.l = ns.l + ns.l %}{% "
      "endfor %}",
      "steps");
  // A list that has itself twice at every level is small, but not where all of it is visited.
  const std::string doubled =
      "{% set ns = namespace(l=[1], m=[1]) %}{% for i in range(60) %}{% set ns.l = [ns.l, ns.l] %}"
      "{% set ns.m = [ns.m, ns.m] %}{% endfor %}";
  for (const char* visits :
       {"{{ ns.l == ns.m }}", "{{ ns.l|tojson }}", "{{ ns.l }}", "{{ ns.m in [ns.l] }}",
        "{{ [ns.l, ns.m]|sort }}", "{{ [ns.l, ns.m]|max }}", "{{ [ns.l].index(ns.m) }}",
        "{% for l in [ns.l, ns.m] %}{{ loop.changed(l) }}{% endfor %}"}) {
    expect_ended(doubled + visits, "steps");
  }
  expect_ended(
      "{% set ns = namespace(l=[1]) %}{% for i in range(999) %}{% set ns.l = [ns.l] %}{% endfor %}",
      "nested");
  expect_ended(
      "{% set ns = namespace(t=(1,)) %}{% for i in range(60) %}{% set ns.t = (ns.t, ns.t) %}"
      "{% endfor %}{{ {ns.t: 1} }}",
      "a tuple cannot be the key");
  expect_ended("{{ 'x' * 999999999999 }}", "too much text");
  expect_ended("{{ ('x' * 9999).replace('x', 'y' * 9999) }}", "too much text");
  expect_ended("{{ 'x'.center(99999999999) }}", "too much text");
  expect_ended("{{ '%99999999d' % 1 }}", "width");
  expect_ended("{% for i in range(999) %}xx{% endfor %}", "output is too long");
  expect_ended("{% macro f(x) %}{{ f(x) }}{% endmacro %}{{ f(1) }}", "nested too deep");
  expect_ended("{% for x in [[1]] recursive %}{{ loop([[1]]) }}{% endfor %}", "nested too deep");
  test::expect_input_error([] { render("{{ range(999999999) }}"); }, "longer than 100000");
  for (const char* nested : {"(", "[", "-", "not ", "x.", "1+", "f(", "{1:", "1 if 1 else "}) {
    std::string source = "{{ ";
    for (int i = 0; i < 5000; ++i) source += nested;
    test::expect_input_error([&] { render(source); }, "line 1, column ");
  }
  std::string blocks;
  for (int i = 0; i < 5000; ++i) blocks += "{% if 1 %}";
  test::expect_input_error([&] { render(blocks); }, "nested more than");
}

TEST(Jinja, WhatOutlivesItsScopeStaysValid) {
  EXPECT_EQ(
      render("{% set ns = namespace() %}{% for i in [1, 2] %}{% macro m() %}{{ i }}{% endmacro %}"
             "{% set ns.m = m %}{% set ns.l = loop %}{% set ns.c = loop.cycle %}{% endfor %}"
             "{{ ns.m() }}{{ ns.l.index }}{{ ns.c('a', 'b') }}"),
      "22b");
  EXPECT_EQ(
      render(
          "{% set ns = namespace() %}{% macro outer(x) %}{% macro inner() %}{{ x }}{% endmacro %}"
          "{% set ns.f = inner %}{% endmacro %}{{ outer(3) }}{{ ns.f() }}"),
      "3");
  // Objects that hold each other are freed all the same (seen by the sanitizer's build).
  EXPECT_EQ(render("{% set a = namespace() %}{% set a.self = a %}{% set a.all = [a, a.self] %}"
                   "{% for x in [1] %}{{ loop.changed(loop) }}{% endfor %}"),
            "True");
  EXPECT_EQ(render("{% set ns = namespace(f=none) %}{% for x in [[1, 2]] recursive %}{% set ns.f = "
                   "loop %}{{ x }}{% endfor %}"
                   "{{ ns.f([3]) }}"),
            "[1, 2]3");
}

TEST(Jinja, KnowsTheTimeThatItIsGiven) {
  const CivilTime leap{.year = 2024, .month = 12, .day = 31, .hour = 0, .minute = 7};
  EXPECT_EQ(format_time("%A %d %B %Y, day %j, %I:%M %p, %u%w %-d", leap),
            "Tuesday 31 December 2024, day 366, 12:07 AM, 22 31");
  test::expect_input_error([&] { Template("{{ strftime_now('%Q') }}").render({}, leap); },
                           "unknown code %Q");
}

}  // namespace
}  // namespace outrider::jinja
