# Puts page/index.html together with its style and scripts, and writes it as a C++ string in pieces that compilers take:
# cmake -DFOLDER=app/web/page -DOUTPUT=page.h -P embed_page.cmake
cmake_minimum_required(VERSION 3.25)
file(READ ${FOLDER}/index.html html)
file(READ ${FOLDER}/style.css style)
set(script "")
foreach(part wire drawing events keys pointer files main)
  file(READ ${FOLDER}/${part}.js text)
  string(APPEND script "${text}")
endforeach()
string(REPLACE "@style@" "${style}" html "${html}")
string(REPLACE "@script@" "${script}" html "${html}")
string(LENGTH "${html}" length)
if(length GREATER 150000)
  message(FATAL_ERROR "the page of lacuna web has ${length} bytes, and may have 150000")
endif()
# Compilers bound the length of one literal.
set(pieces "")
set(at 0)
while(at LESS length)
  string(SUBSTRING "${html}" ${at} 8000 piece)
  string(APPEND pieces "    R\"page_(${piece})page_\"\n")
  math(EXPR at "${at} + 8000")
endwhile()
file(WRITE ${OUTPUT} "#pragma once\n\n#include <string_view>\n\nnamespace lacuna {\n\n"
  "/// The page of lacuna web: one file of HTML, style and script.\ninline constexpr std::string_view kWebPage =\n"
  "${pieces};\n\n}  // namespace lacuna\n")
