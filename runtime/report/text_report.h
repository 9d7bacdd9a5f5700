// A report as text, in the shape ThreadSanitizer gave it: editors and scripts parse it by that.
#pragma once

#include "runtime/options/options.h"
#include "runtime/report/resolved.h"

namespace bigfoot::rt::report {

// The tool's name wherever text is parsed by others.
inline constexpr const char* kToolName = "BigFoot";

// Appends to `out`. Names are shown with control characters replaced, so that no name can fake a
// line.
void write_text(const Report& report, const Options& options, bool color, TextBuffer& out);

// The part of the SUMMARY line after the tool's name: "data race file.cpp:12:5 in f(int)".
void write_summary(const Report& report, const Options& options, TextBuffer& out);

// "f(int) file.cpp:12:5 (prog+0x1234)", as much of it as is known; no line end.
void write_place(const FrameRef& place, const Options& options, TextBuffer& out);

// One word for the shell.
void write_shell_word(Text word, TextBuffer& out);
// A shell command that runs the process again with the same options and schedule seed.
void write_rerun(const ReportRun& run, TextBuffer& out);

}  // namespace bigfoot::rt::report
