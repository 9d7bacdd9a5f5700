// One HTML file with its style, its scripts and the data in it. Nothing is loaded from anywhere.
#include "tools/report/outputs.h"
#include "tools/report/page_data.h"
#include "tools/report/page_parts.h"

namespace bigfoot::report {

void write_html(const Collection& collection, const Setting& setting, std::ostream& out) {
  out << fill_page(kRacesPage, for_script(page_data(collection, setting).dump()));
}

}  // namespace bigfoot::report
