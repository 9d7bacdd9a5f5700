# Writes OUTPUT, a source file that defines a PageParts. NAME: the constant; FRAME: the HTML; STYLES and SCRIPTS:
# files that are joined in this order (separated by commas).
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
quoted(frame "${FRAME}")
quoted(style "${STYLES}")
quoted(script "${SCRIPTS}")
file(WRITE ${OUTPUT} "#include \"tools/report/page_parts.h\"\n\nnamespace bigfoot::report {\n
const PageParts ${NAME} = {${frame}, ${style}, ${script}};\n\n}  // namespace bigfoot::report\n")
