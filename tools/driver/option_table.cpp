// The list follows `clang --help-hidden` of LLVM 22 and the aliases it leaves out; a unit test
// compares it with the help text of the clang in use. An option missing here costs little: its
// value is taken for an input, which only matters on a command line that has no input at all.
#include "tools/driver/option_table.h"

#include <algorithm>
#include <array>

namespace bigfoot::driver {
namespace {

// Sorted, for binary search.
constexpr auto kSeparateValueOptions = [] {
  std::array options = std::to_array<std::string_view>({
      // Outputs, languages, targets
      "-o",
      "--output",
      "-x",
      "--language",
      "-arch",
      "-target",
      "-b",
      "-V",
      "-G",
      "-meabi",
      "-mthread-model",
      "-working-directory",
      "--param",
      "-dumpdir",
      "-dsym-dir",
      "-resource-dir",
      "--resource",
      "--serialize-diagnostics",
      "-serialize-diagnostics",
      "-ccc-install-dir",
      "-ccc-gcc-name",
      "-gen-cdb-fragment-path",
      "-darwin-target-variant",
      "-darwin-target-variant-triple",
      "-hlsl-entry",
      "--config",
      // Preprocessor
      "-I",
      "--include-directory",
      "-D",
      "--define-macro",
      "-U",
      "--undefine-macro",
      "-F",
      "-include",
      "--include",
      "-imacros",
      "--imacros",
      "-include-pch",
      "-idirafter",
      "--include-directory-after",
      "-iquote",
      "-isystem",
      "-isystem-after",
      "-isysroot",
      "--sysroot",
      "-iprefix",
      "--include-prefix",
      "-iwithprefix",
      "--include-with-prefix",
      "--include-with-prefix-after",
      "-iwithprefixbefore",
      "--include-with-prefix-before",
      "-iwithsysroot",
      "-iframework",
      "-iframeworkwithsysroot",
      "-iapinotes-modules",
      "-cxx-isystem",
      "-stdlib++-isystem",
      "-ivfsoverlay",
      "-vfsoverlay",
      "-fmodules-user-build-path",
      "-module-dependency-dir",
      "-dependency-dot",
      "-dependency-file",
      "-MF",
      "-MJ",
      "-MQ",
      "-MT",
      "-fexperimental-openacc-macro-override",
      // Linker
      "-L",
      "--library-directory",
      "-l",
      "-B",
      "--prefix",
      "-T",
      "-z",
      "-u",
      "-e",
      "-framework",
      "-rpath",
      "-bundle_loader",
      "-dylib_file",
      "-exported_symbols_list",
      "-unexported_symbols_list",
      "-filelist",
      "-image_base",
      "-init",
      "-install_name",
      "-multiply_defined",
      "-multiply_defined_unused",
      "-read_only_relocs",
      "-sectalign",
      "-seg1addr",
      "-segs_read_only_addr",
      "-segs_read_write_addr",
      "-umbrella",
      "-weak_framework",
      "-weak_library",
      "-weak_reference_mismatches",
      "-current_version",
      "-compatibility_version",
      "-allowable_client",
      "-client_name",
      "-force_load",
      // Handed to the parts
      "-Xclang",
      "-Xclangas",
      "-Xlinker",
      "--for-linker",
      "-Xassembler",
      "-Xpreprocessor",
      "-Xanalyzer",
      "--analyzer-output",
      "-mllvm",
      "-mmlir",
      "-Xarch_device",
      "-Xarch_host",
      "-Xcuda-fatbinary",
      "-Xcuda-ptxas",
      "-Xopenmp-target",
      "-Xoffload-linker",
  });
  std::ranges::sort(options);
  return options;
}();

}  // namespace

std::span<const std::string_view> separate_value_options() {
  return kSeparateValueOptions;
}

bool takes_next_argument(std::string_view argument) {
  return std::ranges::binary_search(kSeparateValueOptions, argument) ||
         argument.starts_with("-Xarch_") || argument.starts_with("-Xopenmp-target=");
}

}  // namespace bigfoot::driver
