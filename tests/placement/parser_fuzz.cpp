// libFuzzer target: no input crashes the parser, and what parses is printed and parsed back
// unchanged.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "frontends/bfj/lower.h"
#include "frontends/bfj/parser.h"
#include "frontends/bfj/printer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace bigfoot::bfj;
  const ParseResult first = parse({reinterpret_cast<const char*>(data), size});
  if (!first.ok()) return 0;
  const std::string text = print(first.program);
  const ParseResult second = parse(text);
  if (!second.ok() || print(second.program) != text) std::abort();
  lower(first.program);
  return 0;
}
