// A shared library for report_modules_test: code and data that come and go.
extern "C" {
int plugin_variable = 1;
int plugin_function() {
  return plugin_variable;
}
}
