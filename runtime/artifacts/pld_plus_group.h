#pragma once

#include <string>

#include "runtime/draft/copy/pld_plus_heads.h"
#include "runtime/draft/copy/pld_plus_layer.h"
#include "runtime/hdf5/reader.h"
#include "runtime/hdf5/writer.h"

namespace outrider::artifacts {

inline constexpr const char* kPldPlusHeads = "/pld_plus/heads";
inline constexpr const char* kPldPlusLayer = "/pld_plus/layer";

void write_pld_plus_heads(const draft::PldPlusHeads& found, hdf5::Writer& file,
                          const std::string& group);
/// @throws InputError for an invalid group
draft::PldPlusHeads read_pld_plus_heads(const hdf5::Reader& file, const std::string& group);

void write_pld_plus_layer(const draft::PldPlusLayer& found, hdf5::Writer& file,
                          const std::string& group);
/// @throws InputError for an invalid group
draft::PldPlusLayer read_pld_plus_layer(const hdf5::Reader& file, const std::string& group);

}  // namespace outrider::artifacts
