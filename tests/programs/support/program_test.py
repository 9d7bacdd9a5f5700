"""A shell test in which what is the same for all programs is done once, and that leaves its outputs behind only if it
failed.

Every program has the run time linked in: ten runs of the corpus kept 15 GB, more than a small machine has. lit sends
the format to other processes, so it has to live in a module.
"""

import glob
import os
import shutil

import lit.formats
import lit.Test
import lit.TestRunner

import in_process
from precompiled import CompilationError


class ProgramTest(lit.formats.ShTest):
    def __init__(self, checker, headers, examples):
        """`checker`: the words of a command that starts the checker. `headers`: PrecompiledHeaders. `examples`: the
        folder that tests call %examples."""
        super().__init__(execute_external=False)
        self.checker = checker
        self.headers = headers
        self.examples = examples

    def execute(self, test, lit_config):
        in_process.run_in_process(self.checker)
        try:
            result = self.execute_script(test, lit_config)
        except CompilationError as error:
            return lit.Test.Result(lit.Test.FAIL, f"a header does not compile: {error}")
        code = result.code if isinstance(result, lit.Test.Result) else result[0]
        if not code.isFailure:
            _, base = lit.TestRunner.getTempPaths(test)
            for path in glob.glob(glob.escape(base) + "*"):
                shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
        return result

    def execute_script(self, test, lit_config):
        source = test.getSourcePath()
        with open(source, encoding="utf-8") as file:
            script = file.read()
        def path_of(name):
            return source if name == "%s" else name.replace("%examples", self.examples)
        return lit.TestRunner.executeShTest(
            test, lit_config, self.execute_external, self.headers.substitutions(script, path_of))
