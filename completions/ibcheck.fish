# SPDX-License-Identifier: BSD-2-Clause
# fish completion for ibcheck: the program itself knows what may follow.
function __ibcheck_complete
    set -l words (commandline -opc) (commandline -ct)
    for reply in ($words[1] __complete $words[2..-1] 2>/dev/null)
        switch $reply
            case :files
                __fish_complete_path (string replace -r '^--[^=]*=' '' -- $words[-1])
            case :dirs
                __fish_complete_directories (string replace -r '^--[^=]*=' '' -- $words[-1])
            case '*'
                echo $reply
        end
    end
end
complete -c ibcheck -f -a '(__ibcheck_complete)'
