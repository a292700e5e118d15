#include "runtime/serve/speculation.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "runtime/methods/list.h"
#include "runtime/methods/settings.h"
#include "runtime/serve/api_error.h"

namespace outrider::serve {
namespace {

using nlohmann::json;

SpeculationRules speculation_rules() {
  SpeculationRules of_server;
  of_server.names = methods::names_of(methods::all_methods());
  of_server.new_method = [](const std::string& name) { return methods::new_method(name); };
  return of_server;
}

Speculation parsed(const json& body, double temperature = 0,
                   const SpeculationRules& of_server = speculation_rules()) {
  RequestFields fields(body);
  return parse_speculation(fields, of_server, temperature);
}

std::string method_of(const json& value) {
  const Speculation speculation = parsed({{"speculation", value}});
  return speculation.method ? speculation.method->name() : "";
}

ApiError speculation_refusal(const json& value, double temperature = 0) {
  try {
    parsed({{"speculation", value}}, temperature);
  } catch (const ApiError& error) {
    EXPECT_EQ(error.status, 400);
    return error;
  }
  ADD_FAILURE() << "not refused: " << value;
  return {0, ""};
}

TEST(Speculation, IsASwitchANameOrSettings) {
  EXPECT_EQ(method_of(true), "");
  EXPECT_EQ(method_of(nullptr), "");
  EXPECT_EQ(method_of(false), "ar");
  EXPECT_EQ(method_of("pld"), "pld");
  EXPECT_EQ(method_of({{"method", "tsd"}}), "tsd");
  EXPECT_EQ(method_of(json::object()), "");
  const Speculation older = parsed({{"speculative", false}});
  ASSERT_TRUE(older.method);
  EXPECT_EQ(older.method->name(), "ar");
  EXPECT_FALSE(parsed({{"speculative", true}}).method);
}

TEST(Speculation, CheckGoesWithAllOfThem) {
  EXPECT_TRUE(parsed({{"speculation", "check"}}).check);
  const Speculation both = parsed({{"speculation", {{"method", "pld"}, {"check", true}}}});
  EXPECT_TRUE(both.check);
  EXPECT_EQ(both.method->name(), "pld");
  EXPECT_FALSE(parsed({{"speculation", "pld"}}).check);
  EXPECT_TRUE(parsed({{"speculation", {{"check", true}}}}).check);
}

TEST(Speculation, SettingsHaveTheNamesOfFlagsOrOfRecords) {
  const auto settings = [](const json& value) {
    return methods::settings_record(*parsed({{"speculation", value}}).method);
  };
  EXPECT_EQ(settings({{"method", "pld"}, {"draft-length", 7}})["draft_length"], 7);
  EXPECT_EQ(settings({{"method", "pld"}, {"draft_length", 7}})["draft_length"], 7);
  EXPECT_EQ(settings({{"method", "pld"}, {"published", true}})["published"], true);
  EXPECT_EQ(settings({{"method", "ssd"}, {"draft-threshold", 0.25}})["draft_threshold"], 0.25);
  EXPECT_EQ(settings({{"method", "ssd"}, {"draft-stop", "confidence"}})["draft_stop"],
            "confidence");
  EXPECT_EQ(settings({{"method", "gsd"}, {"sources", {"pld"}}})["sources"].dump(), R"(["pld"])");
}

TEST(Speculation, MistakesAreNamed) {
  EXPECT_NE(speculation_refusal("fast").message.find("expected one of auto, ar, pld,"),
            std::string::npos);
  EXPECT_EQ(speculation_refusal({{"method", "fast"}}).parameter, "speculation.method");
  EXPECT_EQ(speculation_refusal(7).parameter, "speculation");
  const ApiError unknown = speculation_refusal({{"method", "pld"}, {"layer", 3}});
  EXPECT_EQ(unknown.parameter, "speculation.layer");
  EXPECT_NE(unknown.message.find("draft-length"), std::string::npos) << unknown.message;
  EXPECT_NE(speculation_refusal({{"method", "ar"}, {"layer", 3}}).message.find("which has none"),
            std::string::npos);
  EXPECT_NE(speculation_refusal({{"draft-length", 3}}).message.find("need \"method\""),
            std::string::npos);
  for (const json& value :
       {json{{"method", "pld"}, {"draft-length", 257}},
        json{{"method", "pld"}, {"draft-length", "2"}}, json{{"method", "pld"}, {"published", 1}},
        json{{"method", "ssd"}, {"draft-stop", "never"}},
        json{{"method", "ssd"}, {"draft-threshold", "x"}},
        json{{"method", "gsd"}, {"sources", "pld"}}, json{{"method", "pld"}, {"check", 1}}})
    EXPECT_EQ(speculation_refusal(value).parameter.rfind("speculation.", 0), 0u) << value;
}

TEST(Speculation, FilesOfTheServerAreNotForRequests) {
  for (const json& value : {json{{"method", "pld"}, {"reference", {"/etc"}}},
                            json{{"method", "ssd"}, {"draft", "/a.h5"}},
                            json{{"method", "ssd"}, {"artifacts", "/a.h5"}}}) {
    const ApiError error = speculation_refusal(value);
    EXPECT_NE(error.message.find("names files of the server's machine"), std::string::npos)
        << error.message;
  }
}

TEST(Speculation, WhatChangesTheTextNeedsPermission) {
  const json rejection = {{"method", "ssd"}, {"verify", "rejection"}};
  EXPECT_NE(speculation_refusal(rejection, 0.8).message.find("--allow-rejection"),
            std::string::npos);
  EXPECT_NO_THROW(parsed({{"speculation", rejection}}, 0)) << "nothing is drawn at temperature 0";
  SpeculationRules allowing = speculation_rules();
  allowing.allow_rejection = true;
  EXPECT_NO_THROW(parsed({{"speculation", rejection}}, 0.8, allowing));
  json checked = rejection;
  checked["check"] = true;
  EXPECT_THROW(parsed({{"speculation", checked}}, 0.8, allowing), ApiError);
}

TEST(Speculation, ListsEveryMethodWithItsSettingsButNoFiles) {
  const auto list = methods_json(speculation_rules());
  EXPECT_EQ(list["data"].size(), methods::all_methods().size());
  const std::string text = list.dump();
  EXPECT_EQ(text.find("\"reference\""), std::string::npos);
  EXPECT_EQ(text.find("\"artifacts\""), std::string::npos);
  for (const auto& method : list["data"]) {
    if (method["name"] != "pld") continue;
    EXPECT_FALSE(method["summary"].get<std::string>().empty());
    const auto& length = method["settings"][0]["name"] == "draft-length" ? method["settings"][0]
                                                                         : method["settings"][1];
    EXPECT_EQ(length["name"], "draft-length");
    EXPECT_EQ(length["type"], "whole");
    EXPECT_EQ(length["low"], 0);
    EXPECT_EQ(length["high"], 256);
  }
}

}  // namespace
}  // namespace outrider::serve
