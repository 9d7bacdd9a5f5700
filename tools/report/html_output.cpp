// One HTML file with its style, its scripts and the data in it. Nothing is loaded from anywhere.
#include "tools/report/outputs.h"
#include "tools/report/page_data.h"
#include "tools/report/page_parts.h"

namespace bigfoot::report {
namespace {

// "<" only as an escape: no text of a program can end the element the data is in, or open another.
std::string for_script(const nlohmann::json& data) {
  std::string text;
  for (const char c : data.dump()) {
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  }
  return text;
}

}  // namespace

void write_html(const Collection& collection, const Setting& setting, std::ostream& out) {
  out << fill_page(kRacesPage, for_script(page_data(collection, setting)));
}

}  // namespace bigfoot::report
