"""The compiled-program tests. See docs/testing-programs.md.

Parameters (--param name=value):
  tool        bigfoot (default), or tsan: the same corpus against clang's ThreadSanitizer
  driver_dir  folder of bigfoot-clang and bigfoot-clang++ (default: build/bin of the source tree)
  detector    what --detector= is given (default: the driver's own choice)
  verify      1: builds in which the run time verifies that accesses are checked (docs/design-verify.md)
  clang       the plain compiler, for the support object and for tool=tsan (default: clang-22)
  linker      lld, say (default: the compiler's own choice); the tests of build/ stay with the default
  opt         O0 (default), O1, O2, O3, lto, thinlto
  symbolizer  llvm-symbolizer for the run time (default: the run time's own choice)
  exec_root   folder for the compiled programs (default: build/tests/programs/<tool>-<opt>)
  slow        1: run the tests of slow/ too
"""

import os
import re
import shutil
import subprocess
import sys

LEVELS = {
    "O0": "-O0",
    "O1": "-O1",
    "O2": "-O2",
    "O3": "-O3",
    "lto": "-O2 -flto -fuse-ld=lld -Wno-unused-command-line-argument",
    "thinlto": "-O2 -flto=thin -fuse-ld=lld -Wno-unused-command-line-argument",
}

HERE = os.path.dirname(os.path.abspath(__file__))
LLVM_BIN = "/usr/lib/llvm-22/bin"
sys.path.insert(0, os.path.join(HERE, "support"))
from precompiled import PrecompiledHeaders  # noqa: E402  (found by the line above)
from program_test import ProgramTest  # noqa: E402


def parameter(name, default):
    return lit_config.params.get(name, default)


def program(name, *folders):
    """Full path of a program the tests can not do without."""
    found = shutil.which(name, path=os.pathsep.join([*folders, os.environ.get("PATH", "")]))
    if not found:
        lit_config.fatal(f"program not found: {name}")
    return found


def compilers(tool, clang):
    """The C and the C++ compiler with the option that turns the detector on."""
    if tool == "tsan":
        plus = re.sub(r"clang(?=(-\d+)?$)", "clang++", clang)
        return f"{program(clang)} -fsanitize=thread", f"{program(plus)} -fsanitize=thread"
    folder = parameter("driver_dir", os.path.join(HERE, "..", "..", "build", "bin"))
    detector = parameter("detector", "")
    option = f" --detector={detector}" if detector else ""
    if parameter("verify", ""):
        option += " --bigfoot-verify"
    return tuple(program(name, os.path.abspath(folder)) + option
                 for name in ("bigfoot-clang", "bigfoot-clang++"))


def linker_option(linker):
    """Most commands compile and link; to one that only compiles the option must be no error."""
    return f"--start-no-unused-arguments -fuse-ld={linker} --end-no-unused-arguments" if linker else ""


def build_support(clang, folder):
    """The uninstrumented object every scripted test is linked with: machine code even under LTO."""
    os.makedirs(folder, exist_ok=True)
    output = os.path.join(folder, "script.o")
    source = os.path.join(HERE, "support", "script.c")
    command = [program(clang), "-O2", "-fPIC", "-Wall", "-Wextra", "-Werror", "-c", source, "-o", output]
    if subprocess.run(command, check=False).returncode != 0:
        lit_config.fatal("support/script.c does not compile")
    return output


def cpu_has(flag):
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as info:
        return re.search(rf"^flags\s*:.*\b{flag}\b", info.read(), re.M) is not None


def compiler_has(compiler, builtin):
    source = f"__has_builtin({builtin})"
    command = [*compiler.split(), "-x", "c++", "-E", "-P", "-"]
    done = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
    return done.stdout.split() == ["1"]


tool = parameter("tool", "bigfoot")
level = parameter("opt", "O0")
clang = parameter("clang", "clang-22")
symbolizer = parameter("symbolizer", "")
if tool not in ("bigfoot", "tsan"):
    lit_config.fatal(f"no such tool: {tool}")
if level not in LEVELS:
    lit_config.fatal(f"no such level: {level}; there are: {', '.join(LEVELS)}")

config.name = f"programs ({tool} {level})"
config.suffixes = [".c", ".cpp", ".test"]
config.excludes = ["support", "Inputs"]
if not parameter("slow", ""):
    config.excludes.append("slow")
config.test_source_root = HERE
config.test_exec_root = os.path.abspath(parameter("exec_root", os.path.join(
    HERE, "..", "..", "build", "tests", "programs", f"{tool}-{level}")))
config.available_features.update({tool, level})
if os.path.exists("/usr/include/boost/fiber/all.hpp"):
    config.available_features.add("boost-fiber")
if cpu_has("avx2"):
    config.available_features.add("avx2")

# The options of whoever starts the tests must not change a verdict.
options = f"external_symbolizer_path={symbolizer}" if symbolizer else ""
for variable in ("TSAN_OPTIONS", "BIGFOOT_OPTIONS"):
    config.environment.pop(variable, None)
if options:
    config.environment["TSAN_OPTIONS" if tool == "tsan" else "BIGFOOT_OPTIONS"] = options

# Debug files of the system's libraries are not looked for. Where libc's are installed, llvm-symbolizer would unpack
# them for each racy program: 0.07 s, more than all else it does; and reports would depend on the machine.
config.environment["LLVM_SYMBOLIZER_OPTS"] = f"--debug-file-directory={config.test_exec_root}/no-debug-files"

cc, cxx = compilers(tool, clang)
if compiler_has(cxx, "__builtin_masked_store"):  # not in clang 19
    config.available_features.add("masked-builtins")
include = os.path.abspath(os.path.join(HERE, "..", "..", "include"))
examples = os.path.abspath(os.path.join(HERE, "..", "..", "examples"))
flags = f"{LEVELS[level]} -g -pthread -Wall -Wextra -Werror -I{HERE}/support -I{include}"
cc += f" -std=gnu17 {flags}"
cxx += f" -std=c++20 {flags}"
checker = [sys.executable, f"{HERE}/support/check_report.py"]
headers = PrecompiledHeaders(cxx, os.path.join(config.test_exec_root, "headers"))
config.test_format = ProgramTest(checker, headers, examples)
detector = parameter("detector", "")
judge = f"{' '.join(checker)} --tool={tool} --level={level} --detector={detector} --source %s"
config.substitutions += [
    ("%clangxx", f"{cxx} %linker"),
    ("%clang", f"{cc} %linker"),
    ("%linker", linker_option(parameter("linker", ""))),
    ("%examples", examples),
    ("%include", include),
    ("%support", build_support(clang, config.test_exec_root)),
    ("%run_racy", f"{judge} --expect racy"),
    ("%run_clean", f"{judge} --expect clean"),
    ("%run_unmarked", f"{judge} --expect clean --two-ways"),
    ("%ar", program("llvm-ar", LLVM_BIN)),
    ("%filecheck", program("FileCheck", LLVM_BIN)),
    ("%not", program("not", LLVM_BIN)),
]
