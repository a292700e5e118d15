#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace outrider {

/// Opens /dev/null for each of standard input, output and error that is closed, so that no file opened
/// later gets its descriptor and receives its output. To be called at program start.
void open_standard_descriptors();

/// Whether standard output was closed then.
bool standard_output_was_closed();

/// Writes all of `bytes`, waiting while a pipe is full. After an error the bytes already written to a
/// regular file are removed again, unless somebody else has appended since: records are never partial.
/// @return 0, or errno
int write_whole(int descriptor, std::string_view bytes);

/// Writes at an offset, independent of the descriptor's own; nothing is removed after an error.
int write_whole_at(int descriptor, std::uint64_t offset, std::string_view bytes);

/// Reads to the end.
/// @param name  of the file, for messages
/// @throws InputError with the system's reason, or for more than `max_bytes`
std::string read_whole(int descriptor, const std::string& name, std::size_t max_bytes);

/// Whether a name means standard input: "-", or a name of the system for it such as /dev/stdin.
bool names_standard_input(const std::filesystem::path& path);

/// Whether a name means standard output, in the same ways.
bool names_standard_output(const std::filesystem::path& path);

/// Reads standard input to its end, from its current position.
/// @throws InputError as `read_whole`; the second time, as another input has taken it all
std::string read_standard_input(std::size_t max_bytes);

/// Whether a descriptor is the same file as standard output.
bool is_standard_output(int descriptor);

/// Whether a path is the same file as standard output or error.
bool is_standard_stream(const std::filesystem::path& path);

/// Opens an existing file, device or pipe for writing without truncating it. If it is the same as
/// standard output or error, their descriptor is duplicated, so that neither overwrites the other.
/// @return the descriptor; -1 on error, see errno
/// @throws Interrupted while waiting for a reader of a named pipe
int open_to_write_through(const std::filesystem::path& path);

}  // namespace outrider
