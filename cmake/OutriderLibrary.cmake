# outrider_library(NAME [FUZZED] [ONCE | HOT] [FOLDERS folder…] [EXCEPT file…] [HEADERS target] [LINKS target…]) makes the static library
# outrider_NAME of every .cc file in this folder and in the FOLDERS below it.
#   FUZZED   it reads what comes from outside, and a fuzz target tries it
#   ONCE     what it does is done once a command, or waits for LibTorch: it is optimised less, which saves a third
#            of its compile time
#   HOT      tests spend their time in it: it is optimised under sanitizers too. The others are not, which saves half of
#            their compile time
#   HEADERS  whose precompiled headers it takes, if not those that all libraries share
#
# Files of one folder are compiled together, up to 40 at a time (a unity build): most of a file's
# compile time is its headers. A unit never crosses a folder, and a file with compile options of its
# own is self-contained. So names in unnamed namespaces are unique within a folder.
function(outrider_library name)
  cmake_parse_arguments(arg "FUZZED;ONCE;HOT" "HEADERS" "FOLDERS;EXCEPT;LINKS" ${ARGN})
  add_library(outrider_${name} STATIC)
  set_target_properties(outrider_${name} PROPERTIES UNITY_BUILD ${OUTRIDER_UNITY} UNITY_BUILD_MODE GROUP)
  foreach(folder . ${arg_FOLDERS})
    file(GLOB sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${folder}/*.cc)
    list(SORT sources)
    if(arg_EXCEPT)
      list(REMOVE_ITEM sources ${arg_EXCEPT})
    endif()
    target_sources(outrider_${name} PRIVATE ${sources})
    outrider_unity_groups(${folder} ${sources})
  endforeach()
  target_link_libraries(outrider_${name} PRIVATE outrider_options PUBLIC ${arg_LINKS})
  set(options)
  if(arg_FUZZED)
    list(APPEND options ${OUTRIDER_COUNT_EDGES})
  endif()
  if(OUTRIDER_SANITIZE AND NOT arg_HOT)
    list(APPEND options -O0)
  elseif(arg_ONCE)
    list(APPEND options -O1)
  endif()
  target_compile_options(outrider_${name} PRIVATE ${options})
  # Clang reads these as fast without.
  if(NOT arg_HEADERS AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    outrider_shared_headers(arg_HEADERS ${options})
  endif()
  if(arg_HEADERS)
    outrider_precompiled(outrider_${name} FROM ${arg_HEADERS})
  endif()
endfunction()

# outrider_precompiled(TARGET HEADERS header… | FROM target): what it includes is read once, and again by every
# target that takes it FROM there; their compile options are equal. Not where each file is compiled alone.
function(outrider_precompiled target)
  cmake_parse_arguments(arg "" "FROM" "HEADERS" ${ARGN})
  if(NOT OUTRIDER_UNITY)
    return()
  endif()
  if(arg_FROM)
    target_precompile_headers(${target} REUSE_FROM ${arg_FROM})
  else()
    target_precompile_headers(${target} PRIVATE ${arg_HEADERS})
  endif()
endfunction()

# outrider_shared_headers(VARIABLE option…): the target with the precompiled headers of what nearly every library includes, by
# these compile options.
function(outrider_shared_headers variable)
  string(MAKE_C_IDENTIFIER "outrider_headers${ARGN}" target)
  if(NOT TARGET ${target})
    add_library(${target} OBJECT ${PROJECT_SOURCE_DIR}/runtime/headers.cc)
    target_link_libraries(${target} PRIVATE outrider_options CLI11::CLI11 fmt::fmt nlohmann_json::nlohmann_json)
    target_compile_options(${target} PRIVATE ${ARGN})
    outrider_precompiled(${target} HEADERS
      <algorithm> <filesystem> <functional> <map> <memory> <optional> <span> <string> <vector>
      <CLI/CLI.hpp> <fmt/format.h> <nlohmann/json.hpp>)
  endif()
  set(${variable} ${target} PARENT_SCOPE)
endfunction()

# outrider_unity_groups(NAME file…) puts the files into units of at most 40 of about one size.
function(outrider_unity_groups name)
  list(LENGTH ARGN count)
  if(count EQUAL 0)
    return()
  endif()
  math(EXPR units "(${count} + 39) / 40")
  set(index 0)
  foreach(source ${ARGN})
    math(EXPR unit "${index} * ${units} / ${count}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP "${name}_${unit}")
    math(EXPR index "${index} + 1")
  endforeach()
endfunction()
