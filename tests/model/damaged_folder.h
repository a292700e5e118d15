#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "runtime/model/model.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/source_path.h"
#include "tests/support/temporary_folder.h"

namespace outrider::model {

inline const std::filesystem::path kGolden = test::source_path("tests/golden/hf");

inline std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void write_file(const std::filesystem::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

/// A copy of a golden folder, to be damaged.
class DamagedFolder : public testing::Test {
 protected:
  void copy(const std::string& name) {
    std::filesystem::remove_all(path_);
    std::filesystem::copy(kGolden / name, path_);
  }
  void change(const std::string& file, const std::function<void(nlohmann::json&)>& edit) {
    nlohmann::json content = nlohmann::json::parse(content_of(path_ / file));
    edit(content);
    write_file(path_ / file, content.dump());
  }
  /// Damages one file of a fresh copy and expects a refusal.
  void refused(const std::string& name, const std::string& file,
               const std::function<void(nlohmann::json&)>& edit, const std::string& part) {
    copy(name);
    change(file, edit);
    test::expect_input_error([&] { load_model(path_); }, path_.string(), part);
  }
  void change_header(const std::function<void(nlohmann::json&)>& edit) {
    const std::string bytes = content_of(safetensors());
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), 8);
    nlohmann::json header = nlohmann::json::parse(bytes.substr(8, length));
    edit(header);
    const std::string text = header.dump();
    length = text.size();
    std::string damaged(8, '\0');
    std::memcpy(damaged.data(), &length, 8);
    std::uint64_t old = 0;
    std::memcpy(&old, bytes.data(), 8);
    write_file(safetensors(), damaged + text + bytes.substr(8 + old));
  }
  /// The same as `refused` for the header of a safetensors file.
  void header_refused(const std::function<void(nlohmann::json&)>& edit, const std::string& part) {
    copy("llama_tied");
    change_header(edit);
    test::expect_input_error([&] { load_model(path_); }, path_.string(), part);
  }
  std::filesystem::path safetensors() const { return path_ / "model.safetensors"; }

  test::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.path() / "model";
};

}  // namespace outrider::model
