// The completion script of zsh, with descriptions. Sourced, or saved as `_functez` in a folder of $fpath.
import { stepsOf, type TableCommand, valuesOf, valueText } from "./command-table.ts";

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
/** `name:description`, the format of _describe. */
const describe = (name: string, description: string): string =>
  quote(`${name.replaceAll(":", "\\:")}:${description}`);

export function zshScript(table: readonly TableCommand[]): string {
  const cases = (lines: readonly string[]) => lines.map((line) => `    ${line} ;;`).join("\n");
  const steps = stepsOf(table).map(({ from, word, to }) => `'${from}|${word}') where='${to}'`);
  const values = valuesOf(table).map(
    ({ path, names, value }) =>
      `${names.map((name) => `'${path}|${name}'`).join("|")}) value=${quote(valueText(value))}`,
  );
  const offers = table.map(({ path, commands, options, argument }) => {
    const names = commands.map(({ name, description }) => describe(name, description)).join(" ");
    const flags = options.map((option) => describe(option.names.at(-1)!, option.description)).join(" ");
    const kind = argument === undefined ? "@none" : valueText(argument);
    return `'${path}') subcommands=(${names}); flags=(${flags}); kind=${quote(kind)}`;
  });
  return `#compdef functez
# zsh completion for functez; add to ~/.zshrc after compinit:  source <(functez completions --shell zsh)
_functez() {
  local where='' value='' kind='' word skip='' rest='' seen=''
  local -a subcommands flags # "commands" and "options" are arrays of zsh itself
  local -i i
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    if [[ -n $skip ]]; then skip=''
    elif [[ $word == -- ]]; then rest=$((i + 1)); break
    elif [[ $word == -* ]]; then
      value=''
      case "$where|$word" in
${cases(values)}
      esac
      skip=$value
    else
      case "$where|$word" in
${cases(steps)}
    *) : "\${seen:=$i}" ;;
      esac
    fi
  done
  case "$where" in
${cases(offers)}
  esac
  [[ $kind == @command && -n $seen ]] && rest=$seen
  if [[ -n $rest ]]; then # the command line of another program
    words=("\${(@)words[rest,-1]}")
    (( CURRENT -= rest - 1 ))
    _normal
    return
  fi
  if [[ -n $skip ]]; then kind=$skip
  elif [[ $PREFIX == -* ]]; then _describe 'option' flags; return
  elif (( \${#subcommands} )); then _describe 'command' subcommands; return
  fi
  case $kind in
    @file) _files ;;
    @command) _command_names ;;
    @text|@none) _message 'value' ;;
    @words:*) compadd -- \${(f)"$(functez words "\${kind#@words:}" 2> /dev/null)"} ;;
    *) compadd -- \${=kind} ;;
  esac
}
if [[ \${funcstack[1]} == _functez ]]; then _functez "$@"; else compdef _functez functez; fi
`;
}
