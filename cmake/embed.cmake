# SPDX-License-Identifier: Apache-2.0
# Writes the files of the browser page into a C++ source file.
#     cmake -DSOURCE=<tools/view/web> -DSCRIPTS=<a.js,b.js,…> -DOUTPUT=<file.cpp> -P embed.cmake
# Compilers limit the length of a string literal: a text becomes several, one after the other, each of whole lines.
cmake_minimum_required(VERSION 3.25)
function(literal name text)
  string(LENGTH "${text}" length)
  set(pieces)
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${text}" ${at} 8000 piece)
    string(FIND "${piece}" "\n" end REVERSE)
    math(EXPR end "${end} + 1")
    string(SUBSTRING "${piece}" 0 ${end} piece)
    string(APPEND pieces "    R\"~~~~(${piece})~~~~\"\n")
    math(EXPR at "${at} + ${end}")
  endwhile()
  set(source "${source}const std::string_view ${name} =\n${pieces};\n\n" PARENT_SCOPE)
endfunction()

# Brackets and semicolons mean something in CMake's lists, so a file is read as one string.
set(script)
string(REPLACE "," ";" scripts "${SCRIPTS}")
foreach(file IN LISTS scripts)
  file(READ "${SOURCE}/${file}" text)
  string(APPEND script "// ---- ${file}\n${text}\n")
endforeach()
file(READ "${SOURCE}/page.html" html)
file(READ "${SOURCE}/page.css" style)
set(source "// Written by cmake/embed.cmake.\n#include \"tools/view/page_files.hpp\"\n\nnamespace talus {\n\n")
literal(page_template "${html}")
literal(page_style "${style}")
literal(page_script "${script}")
file(WRITE "${OUTPUT}" "${source}}  // namespace talus\n")
