"""What the plugin makes of code, as assembly and as LLVM IR.

Parameters: driver_dir, the folder of bigfoot-clang.
"""
import os

import lit.formats

config.name = "codegen"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".c", ".cpp"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = lit_config.params["exec_root"]
llvm = lit_config.params.get("llvm_bin", "/usr/lib/llvm-22/bin")
config.environment["PATH"] = os.pathsep.join([llvm, os.environ["PATH"]])
config.substitutions.append(("%clangxx", os.path.join(lit_config.params["driver_dir"], "bigfoot-clang++")))
config.substitutions.append(("%clang", os.path.join(lit_config.params["driver_dir"], "bigfoot-clang")))
