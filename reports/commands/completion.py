"""`scn completion SHELL`: what makes a shell complete `render` and `scn`; click does the rest.

The shell calls the program with the line typed so far and offers what it prints: offered.py says what that is.
Words that end in = / . or , are not finished, so no space follows them.
"""

import os

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
    split_arg_string,
)

PROGRAMS = ("render", "scn")
HOW = {
    "bash": 'in ~/.bashrc: eval "$(scn completion bash)"',
    "zsh": 'in ~/.zshrc, after compinit: eval "$(scn completion zsh)"',
    "fish": "in ~/.config/fish/config.fish: scn completion fish | source",
}

# Bash ends a word at = and :, so what stands before them is cut from an offer.
BASH = """\
# %(prog_name)s
%(complete_func)s() {
    local IFS=$'\\n' line="${COMP_LINE:0:COMP_POINT}" word kept answer type value
    word="${line##*[[:space:]]}"
    kept="${word%%"${word##*[=:]}"}"
    COMPREPLY=()
    for answer in $(COMP_WORDS="$line" %(complete_var)s=bash_complete "$1" 2>/dev/null); do
        IFS=, read -r type value <<<"$answer"
        case "$type" in
            dir) compopt -o dirnames ;;
            file) compopt -o default ;;
            plain)
                [[ "$value" == *[=/.,] ]] && compopt -o nospace
                [[ "$value" == *[[:space:]]* ]] && printf -v value %%q "$value"
                COMPREPLY+=("${value#"$kept"}") ;;
        esac
    done
}
complete -F %(complete_func)s %(prog_name)s
"""

ZSH = """\
# %(prog_name)s
%(complete_func)s() {
    local -a response whole open
    local type value about
    response=("${(@f)$(COMP_WORDS="${(j: :)words}" COMP_CWORD=$((CURRENT-1)) \
%(complete_var)s=zsh_complete "${words[1]}" 2>/dev/null)}")
    for type value about in "${response[@]}"; do
        case "$type" in
            dir) _path_files -/ ;;
            file) _path_files -f ;;
            plain)
                [[ "$about" == _ ]] || value="$value:$about"
                if [[ "${value%%%%:*}" == *[=/.,] ]]; then open+=("$value"); else whole+=("$value"); fi ;;
        esac
    done
    (( $#open )) && _describe -V open open -U -S ''
    (( $#whole )) && _describe -V whole whole -U
}
compdef %(complete_func)s %(prog_name)s
"""

FISH = """\
# %(prog_name)s
function %(complete_func)s
    for answer in (env %(complete_var)s=fish_complete COMP_WORDS=(commandline -cp) COMP_CWORD=(commandline -t) \
%(prog_name)s 2>/dev/null)
        set -l parts (string split -m 1 "," -- $answer)
        switch $parts[1]
            case dir
                __fish_complete_directories $parts[2]
            case file
                __fish_complete_path $parts[2]
            case plain
                echo $parts[2]
        end
    end
end
complete --no-files --command %(prog_name)s --arguments "(%(complete_func)s)"
"""


@add_completion_class
class Bash(BashComplete):
    """Bash, with the line as it is typed: the words it would make of it end at = and :."""

    source_template = BASH

    def get_completion_args(self) -> tuple[list[str], str]:
        """(the words before, the one being typed)."""
        line = os.environ["COMP_WORDS"]
        words = split_arg_string(line)
        typed = words.pop() if words and not line[-1].isspace() else ""
        return words[1:], typed


@add_completion_class
class Zsh(ZshComplete):
    """Zsh; a colon parts what is offered from what is said about it."""

    source_template = ZSH

    def format_completion(self, item: "CompletionItem[str]") -> str:
        """Three lines: the type, the word, what is said about it (_ for nothing)."""
        value = item.value.replace("\\", "\\\\").replace(":", "\\:")
        return f"{item.type}\n{value}\n{item.help or '_'}"


@add_completion_class
class Fish(FishComplete):
    """Fish; only the first comma of an answer parts its type from the word."""

    source_template = FISH


SHELLS: dict[str, type[ShellComplete]] = {"bash": Bash, "zsh": Zsh, "fish": Fish}


def script(shell: str) -> str:
    """The text that a shell reads to complete both programs."""
    made = (SHELLS[shell](click.Command(name), {}, name, f"_{name.upper()}_COMPLETE") for name in PROGRAMS)
    return f"# {HOW[shell]}\n" + "".join(one.source_template % one.source_vars() for one in made)


@click.command(epilog="\b\n" + "\n".join(HOW.values()))
@click.argument("shell", type=click.Choice(list(SHELLS)))
def completion(shell: str) -> int:
    """Print what makes SHELL complete render and scn: files, settings, formats, names of the library.

    Exit: 0.
    """
    click.echo(script(shell), nl=False)
    return 0
