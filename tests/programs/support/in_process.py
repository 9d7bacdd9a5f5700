"""Calls the checker from lit's own process.

Starting Python and importing what check_report.py needs is 0.07 s of CPU, a tenth of a program's time and more than
most of the programs run for. lit's workers have Python started and the modules imported: a child forked from one
goes on as the checker (0.01 s). It is a process of its own, as before: what it does to its folder, its environment and
its streams stays there.

lit's shell offers no place for that, so the function that runs one pipeline of a script is wrapped. A pipeline of
more than one command, or one with redirections, is still left to lit.
"""

import os
import sys
import tempfile
import traceback

import lit.ShUtil
import lit.TestRunner
from lit.TestRunner import ShellCommandResult, ShellEnvironment

import check_report


def run_in_process(checker):
    """From now on commands that begin with the words `checker` are calls. Once for a process."""
    lits = lit.TestRunner._executeShCmd
    if getattr(lits, "calls_checker", False):
        return

    def execute(cmd, shenv, results, timeout_helper):
        call = checker_call(cmd, shenv, checker)
        if not call or timeout_helper.timeoutReached():
            return lits(cmd, shenv, results, timeout_helper)
        code, output, error = in_child(*call)
        results.append(ShellCommandResult(cmd.commands[0], output, error, code, False))
        return code

    execute.calls_checker = True
    lit.TestRunner._executeShCmd = execute


def checker_call(cmd, shenv, checker):
    """(arguments, folder, environment) if `cmd` is nothing but a call of the checker, possibly after `env`."""
    if not isinstance(cmd, lit.ShUtil.Pipeline) or len(cmd.commands) != 1 or cmd.negate:
        return None
    command = cmd.commands[0]
    if command.redirects or not all(isinstance(word, str) for word in command.args):
        return None
    words, own = list(command.args), ShellEnvironment(shenv.cwd, shenv.env)
    while words and words[0] == "env":
        words = lit.TestRunner.updateEnv(own, words)
    if words[:len(checker)] != checker:
        return None
    return words[len(checker):], own.cwd, own.env


def in_child(arguments, folder, environment):
    """Exit code, standard output and standard error of the checker in a child."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as error:
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if child == 0:
            become_checker(arguments, folder, environment, output, error)
        _, status = os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(status), content(output), content(error)


def content(file):
    file.seek(0)
    return file.read().decode("utf-8", errors="replace")


def become_checker(arguments, folder, environment, output, error):
    """Does not return, whatever happens: the caller's stack is that of lit's worker."""
    code = 1
    try:
        with open(os.devnull, "rb") as nothing:
            for number, file in enumerate((nothing, output, error)):
                os.dup2(file.fileno(), number)
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        code = check_report.exit_code(arguments)
    except BaseException:  # argparse's exit, too
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
