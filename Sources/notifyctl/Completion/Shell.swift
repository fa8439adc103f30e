// The shells that can complete our words, each with its script. A script passes on what stands before the cursor, and
// gets a line that says what is wanted (`words`, or something that the shell lists itself), and then the words.

/// A shell with completion.
enum Shell: String, Sendable, CaseIterable {
    case bash, zsh, fish

    var script: String {
        switch self {
        case .bash: Self.bashScript
        case .zsh: Self.zshScript
        case .fish: Self.fishScript
        }
    }

    // `$2` is what readline will replace: the end of the word, after its last `=` or `:`.
    private static let bashScript = #"""
        # bash completion for notifyctl, which itself knows what can stand where.
        _notifyctl() {
            local program=${1/#\~\//$HOME/}
            type -P -- "$program" > /dev/null || program=notifyctl
            local -a answer
            mapfile -t answer < <(command "$program" __complete bash "${COMP_LINE:0:COMP_POINT}" "$2" 2> /dev/null)
            COMPREPLY=()
            case ${answer[0]-} in
                words) COMPREPLY=("${answer[@]:1}") ;;
                files) compopt -o default 2> /dev/null ;;
                users) mapfile -t COMPREPLY < <(compgen -u -- "$2") ;;
                groups) mapfile -t COMPREPLY < <(compgen -g -- "$2") ;;
                programs) mapfile -t COMPREPLY < <(compgen -c -- "$2") ;;
            esac
        }
        complete -F _notifyctl notifyctl

        """#

    private static let zshScript = #"""
        #compdef notifyctl
        # zsh completion for notifyctl, which itself knows what can stand where.
        _notifyctl() {
            local program=${${(Q)words[1]}/#\~\//$HOME/} kind
            local -a answer
            whence -p -- $program > /dev/null || program=notifyctl
            answer=("${(@f)$(command $program __complete zsh "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2> /dev/null)}")
            kind=$answer[1]
            shift answer
            # What stands before the value in a word, such as --socket=, stays as it is.
            if [[ $kind != words && $PREFIX == --*=* ]]; then compset -P 1 '*='; fi
            case $kind in
                options) _describe -o option answer ;;
                words) _describe word answer ;;
                files) _files ;;
                users) _users ;;
                groups) _groups ;;
                programs) _command_names -e ;;
                *) return 1 ;;
            esac
        }
        # Read by the completion system as a function of its own, or by `source`.
        if [[ $funcstack[1] == _notifyctl ]]; then
            _notifyctl "$@"
        else
            compdef _notifyctl notifyctl
        fi

        """#

    private static let fishScript = #"""
        # fish completion for notifyctl, which itself knows what can stand where.
        function __notifyctl_complete
            set -l words (commandline -opc)
            set -l program $words[1]
            set -e words[1]
            set -l current (commandline -ct | string replace -r '^[\'"]' '')
            command -q $program; or set program notifyctl
            set -l answer (command $program __complete fish $words "$current" 2> /dev/null)
            # What stands before the value in a word, such as --socket=, stays as it is.
            set -l front (string match -r -- '^--[a-z-]+=|' "$current")
            set -l value (string replace -- "$front" '' "$current")
            switch "$answer[1]"
                case words options
                    printf '%s\n' $answer[2..-1]
                case files
                    printf '%s\n' $front(__fish_complete_path "$value")
                case users
                    printf '%s\n' $front(__fish_complete_users)
                case groups
                    printf '%s\n' $front(__fish_complete_groups)
                case programs
                    complete -C (string escape -- "$value")
            end
        end
        complete -c notifyctl -f -a '(__notifyctl_complete)'

        """#
}
