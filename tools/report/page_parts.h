// The pages of page/, embedded when the tool is built (embed_page.cmake).
#pragma once

#include <string>
#include <string_view>

namespace bigfoot::report {

struct PageParts {
  std::string_view frame;  // the HTML, with {{style}}, {{script}} and {{data}}
  std::string_view style;
  std::string_view script;
};
extern const PageParts kRacesPage;

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
