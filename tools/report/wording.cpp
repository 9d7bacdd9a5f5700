// Phrases that several outputs share.
#include <algorithm>

#include "runtime/report/json_writer.h"
#include "runtime/report/text_report.h"
#include "tools/report/arena.h"
#include "tools/report/outputs.h"

namespace bigfoot::report {
namespace rr = rt::report;

std::string utf8(rt::Text text) {
  // Nearly every name, and each buffer of the run time is a mapping of its own: without this a page
  // of 5,000 races took four times as long, most of it in the kernel.
  const std::string_view bytes = view(text);
  const bool ascii =
      std::ranges::all_of(bytes, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (ascii) return std::string(bytes);
  // The JSON writer has the rule; a JSON string without its quotes is not the text, so it is
  // decoded again.
  rt::TextBuffer buffer;
  rr::JsonWriter(buffer).string(text);
  return nlohmann::json::parse(view(buffer.text())).get<std::string>();
}

std::string summary(const rr::Report& report, const Setting& setting) {
  rt::TextBuffer buffer;
  rr::write_summary(report, setting.options, buffer);
  return utf8(buffer.text());
}

rr::FrameRef main_frame(const rr::Report& report) {
  if (report.access_count != 0) return rr::headline(report.accesses[0].stack);
  if (report.where.count == 0 && report.thread_count != 0)
    return rr::headline(report.threads[0].created);
  return rr::headline(report.where);
}

std::string thread_name(rt::ThreadId id) {
  if (id == rt::kMainThread) return "main thread";
  if (id == rt::kNoThread) return "unknown thread";
  return "thread T" + std::to_string(static_cast<rt::u32>(id));
}

std::string describe(const rr::ReportAccess& access) {
  std::string text = is_atomic(access.access.kind) ? "atomic " : "";
  text += is_write(access.access.kind) ? "write" : "read";
  if (access.access.kind == rt::AccessKind::kFree) text = "free";
  text +=
      " of size " + std::to_string(access.access.size) + " by " + thread_name(access.access.thread);
  access.or_at.for_each_line([&](rt::Text place) { text += ", or at " + utf8(place); });
  return text;
}

std::string field_of(const rr::Report& report) {
  if (report.access_count != 2) return {};
  const std::string current = utf8(report.accesses[0].field);
  const std::string previous = utf8(report.accesses[1].field);
  if (current.empty() || previous.empty() || current == previous)
    return current.empty() ? previous : current;
  return current + " / " + previous;
}

std::string fingerprint_text(const rr::Report& report) {
  std::string digits;
  for (int shift = 60; shift >= 0; shift -= 4)
    digits += "0123456789abcdef"[(report.fingerprint >> shift) & 15];
  return digits;
}

}  // namespace bigfoot::report
