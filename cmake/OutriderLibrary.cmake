# outrider_library(NAME [FUZZED] [ONCE | HOT] [FOLDERS folder…] [EXCEPT file…] [LINKS target…]) makes the static library
# outrider_NAME of every .cc file in this folder and in the FOLDERS below it.
#   FUZZED   it reads what comes from outside, and a fuzz target tries it
#   ONCE     what it does is done once a command, or waits for LibTorch: it is optimised less, which saves a third
#            of its compile time
#   HOT      tests spend their time in it: it is optimised under sanitizers too. The others are not, which saves half of
#            their compile time
#
# Files of one folder are compiled together, up to 40 at a time (a unity build): most of a file's
# compile time is its headers. A unit never crosses a folder, and a file with compile options of its
# own is self-contained. So names in unnamed namespaces are unique within a folder.
function(outrider_library name)
  cmake_parse_arguments(arg "FUZZED;ONCE;HOT" "" "FOLDERS;EXCEPT;LINKS" ${ARGN})
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
  if(arg_FUZZED)
    target_compile_options(outrider_${name} PRIVATE ${OUTRIDER_COUNT_EDGES})
  endif()
  if(OUTRIDER_SANITIZE AND NOT arg_HOT)
    target_compile_options(outrider_${name} PRIVATE -O0)
  elseif(arg_ONCE)
    target_compile_options(outrider_${name} PRIVATE -O1)
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
