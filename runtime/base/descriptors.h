#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace outrider {

/// Opens /dev/null in place of whichever of standard input, output and error is closed, so that no
/// file that is opened later takes its number and receives what was written for it. For the start of
/// a program.
void open_standard_descriptors();

/// Writes all of `bytes`, waiting where a pipe is full. What a regular file took of them before an
/// error is removed again, unless another has written behind it: a record is in it whole or not at all.
/// @return 0, or the error's number
int write_whole(int descriptor, std::string_view bytes);

/// The same at an offset, wherever `write_whole` has come to; nothing is removed again.
int write_whole_at(int descriptor, std::uint64_t offset, std::string_view bytes);

/// What is left to read.
/// @param name  stands for the file in messages
/// @throws InputError with the system's reason; when there is more than `max_bytes`
std::string read_whole(int descriptor, const std::string& name, std::size_t max_bytes);

/// Standard input to its end: from where it has been read to, also where it has no name to be opened by.
/// @throws InputError as `read_whole`
std::string read_standard_input(std::size_t max_bytes);

/// Whether a path leads to where standard output or error go.
bool is_standard_stream(const std::filesystem::path& path);

/// Opens something that is there to write to it, without emptying it. Where standard output or error go
/// to it as well, it is theirs that is shared, so that nothing is written over.
/// @return the descriptor; -1: errno says why not
/// @throws Interrupted while nobody reads from a named pipe
int open_to_write_through(const std::filesystem::path& path);

}  // namespace outrider
