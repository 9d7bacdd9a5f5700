# Completion of bigfoot's commands and options for fish, from the command's own help (as for bash).
function __bigfoot_commands
    bigfoot help | string replace --filter --regex '^  ([a-z-]+) +([a-z].*)$' '$1\t$2' | string match --invert --regex '^bigfoot\t'
    printf 'help\tdescribe a command\n'
end
function __bigfoot_options
    set --local words (commandline --tokenize --cut-at-cursor)
    bigfoot $words[2] --help 2>/dev/null | string replace --filter --regex '^  (?:-[a-z],)?(--[a-z][a-z-]*)\S*(?: [A-Z.]+)*\s+(.*)$' '$1\t$2'
end
complete --command bigfoot --condition __fish_use_subcommand --no-files --arguments '(__bigfoot_commands)'
complete --command bigfoot --condition 'not __fish_use_subcommand; and string match --quiet -- "-*" (commandline --current-token)' --arguments '(__bigfoot_options)'
