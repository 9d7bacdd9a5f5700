"""A shell test that leaves its outputs behind only if it failed.

Every program has the run time linked in: ten runs of the corpus kept 15 GB, more than a small machine has. lit sends
the format to other processes, so it has to live in a module.
"""

import glob
import os
import shutil

import lit.formats
import lit.Test
import lit.TestRunner


class ProgramTest(lit.formats.ShTest):
    def execute(self, test, lit_config):
        result = super().execute(test, lit_config)
        code = result.code if isinstance(result, lit.Test.Result) else result[0]
        if not code.isFailure:
            _, base = lit.TestRunner.getTempPaths(test)
            for path in glob.glob(glob.escape(base) + "*"):
                shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
        return result
