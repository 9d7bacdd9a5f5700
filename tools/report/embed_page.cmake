# Writes OUTPUT, a source file that defines a PageParts. NAME: the constant; FRAME: the HTML around
# TITLE and BODY (a file); STYLES and SCRIPTS: files that are joined in this order (separated by commas).
function(quoted variable files)
  string(REPLACE "," ";" files "${files}")
  set(text "")
  foreach(file ${files})
    file(READ ${file} part)
    # Compilers need not take literals beyond 64 KiB: pieces of one literal each.
    string(APPEND text "R\"page(${part})page\"\n")
  endforeach()
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()
# The frame is cut at its holes rather than filled: semicolons and brackets in a body mean something to CMake.
file(READ ${FRAME} frame)
string(REPLACE "{{title}}" "${TITLE}" frame "${frame}")
string(FIND "${frame}" "{{body}}" hole)
string(SUBSTRING "${frame}" 0 ${hole} before)
math(EXPR hole "${hole} + 8")
string(SUBSTRING "${frame}" ${hole} -1 after)
quoted(body "${BODY}")
set(frame "R\"page(${before})page\"\n${body}R\"page(${after})page\"\n")
quoted(style "${STYLES}")
quoted(script "${SCRIPTS}")
file(WRITE ${OUTPUT} "#include \"tools/report/page_parts.h\"\n\nnamespace bigfoot::report {\n
const PageParts ${NAME} = {${frame}, ${style}, ${script}};\n\n}  // namespace bigfoot::report\n")
