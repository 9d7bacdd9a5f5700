// The pages of page/, embedded when the tool is built (embed_page.cmake).
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace bigfoot::report {

struct PageParts {
  std::string_view frame;  // the HTML, with {{style}}, {{script}} and {{data}}
  std::string_view style;
  std::string_view script;
};
extern const PageParts kRacesPage;
extern const PageParts kExplainPage;  // of tools/explain

// JSON with "<" only as an escape: no text of a program can end the element that holds the data, or
// open another.
inline std::string for_script(std::string_view json) {
  std::string text;
  for (const char c : json) {
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  }
  return text;
}

// `data` stands in a script element of type application/json: it must hold no '<'.
inline std::string fill_page(const PageParts& parts, std::string_view data) {
  std::string page;
  std::string_view rest = parts.frame;
  const std::pair<std::string_view, std::string_view> holes[] = {
      {"{{style}}", parts.style}, {"{{script}}", parts.script}, {"{{data}}", data}};
  for (const auto& [hole, text] : holes) {  // in the order in which the frame has them
    const std::size_t at = rest.find(hole);
    page += rest.substr(0, at);
    page += text;
    rest.remove_prefix(at + hole.size());
  }
  page += rest;
  return page;
}

}  // namespace bigfoot::report
