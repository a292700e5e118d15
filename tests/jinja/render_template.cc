// Renders templates for scripts/check_templates: of every line of standard input, {"template": source,
// "variables": {…}, "now": [year, month, day, hour, minute, second]}, writes {"text"} or {"error"}.

#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "runtime/jinja/from_json.h"
#include "runtime/jinja/template.h"

int main() {
  using namespace outrider;
  using nlohmann::ordered_json;
  for (std::string line; std::getline(std::cin, line);) {
    const ordered_json asked = ordered_json::parse(line);
    const ordered_json& time = asked["now"];
    jinja::Dict variables;
    for (const auto& [name, value] : asked["variables"].items())
      variables.set(jinja::Value(name), jinja::from_json(value, jinja::kSomeInput));
    ordered_json answer;
    try {
      const jinja::Template made(asked["template"].get<std::string>());
      answer["text"] =
          made.render(variables, {time[0], time[1], time[2], time[3], time[4], time[5]}).bytes();
    } catch (const InputError& error) {
      answer["error"] = error.what();
    }
    std::cout << answer.dump() << std::endl;
  }
  return 0;
}
