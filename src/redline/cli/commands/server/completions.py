"""`redline completions SHELL`: the script a shell loads to complete commands, flags and ids."""

from __future__ import annotations

import argparse

from redline.cli.terminal import out_bytes

# Each script asks this program for the words that fit; it offers files where there are none. Words
# with spaces or brackets are quoted as the shell needs it, and asked for without the quotes.
_BASH = r"""_redline() {
    local word given=("${COMP_WORDS[@]:1:COMP_CWORD}")
    COMPREPLY=()
    while IFS= read -r word; do
        printf -v word %q "$word"
        COMPREPLY+=("$word")
    done < <(redline completions words -- "${given[@]//\\/}" 2>/dev/null)
}
complete -o default -F _redline redline
"""
_ZSH = r"""#compdef redline
_redline() {
    local -a found
    found=("${(@f)$(redline completions words -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
    if [[ -n "$found" ]]; then compadd -- "${found[@]}"; else _files; fi
}
compdef _redline redline
"""
_FISH = r"""function __redline_words
    set -l given (commandline -opc) (commandline -ct)
    redline completions words -- $given[2..-1] 2>/dev/null
end
complete -c redline -a '(__redline_words)'
"""
_SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of this command."""
    parser.epilog = """install:
  bash  redline completions bash > ~/.local/share/bash-completion/completions/redline
  zsh   redline completions zsh > ~/.zfunc/_redline     (with fpath+=~/.zfunc before compinit)
  fish  redline completions fish > ~/.config/fish/completions/redline.fish
"""
    parser.add_argument(
        "shell",
        choices=[*_SCRIPTS, "words"],
        metavar="SHELL",
        help="bash, zsh or fish",
    )
    given = parser.add_argument("given", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    given.required = False  # else the error for a missing shell names it too


def run(args: argparse.Namespace) -> int:
    """Print the script, or for the script the words that fit."""
    if args.shell == "words":
        from redline.cli.commands.server.complete import words_for

        # Not every version of argparse keeps the two dashes before the words.
        found = words_for(args.given[1:] if args.given[:1] == ["--"] else args.given)
        out_bytes("".join(f"{word}\n" for word in found).encode("utf-8", "replace"))
        return 0
    out_bytes(_SCRIPTS[args.shell].encode())
    return 0
