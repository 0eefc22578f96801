// The completion script of bash, from version 3.2 on.
import { stepsOf, type TableCommand, valuesOf, valueText } from "./command-table.ts";

export function bashScript(table: readonly TableCommand[]): string {
  const cases = (lines: readonly string[]) => lines.map((line) => `    ${line} ;;`).join("\n");
  const steps = stepsOf(table).map(({ from, word, to }) => `"${from}|${word}") path="${to}"`);
  const values = valuesOf(table).map(
    ({ path, names, value }) =>
      `${names.map((name) => `"${path}|${name}"`).join("|")}) value="${valueText(value)}"`,
  );
  const offers = table.map(({ path, commands, options, argument }) => {
    const names = commands.map(({ name }) => name).join(" ");
    const flags = options.map((option) => option.names.at(-1)).join(" ");
    const own = names || (argument === undefined ? "" : valueText(argument));
    return `"${path}") words="${own}"; options="${flags}"`;
  });
  return `# bash completion for functez; add to ~/.bashrc:  source <(functez completions --shell bash)
_functez_step() { # path and word: sets path to the command that the word leads to
  case "$path|$1" in
${cases(steps)}
    *) return 1 ;;
  esac
}
_functez_value() { # path and option: sets value to what the option takes
  value=""
  case "$path|$1" in
${cases(values)}
  esac
}
_functez() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path="" value="" words="" options="" word i skip="" rest="" seen=""
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    if [[ -n "$skip" ]]; then skip=""
    elif [[ "$word" == "--" ]]; then rest=1; break
    elif [[ "$word" == -* ]]; then
      _functez_value "$word"
      [[ -z "$value" ]] || skip="$value"
    elif ! _functez_step "$word"; then seen=1
    fi
  done
  case "$path" in
${cases(offers)}
  esac
  [[ "$words" == "@command" && -n "$seen" ]] && rest=1
  if [[ -n "$rest" ]]; then words="@file"; [[ "\${COMP_WORDS[COMP_CWORD-1]}" == "--" ]] && words="@command"
  elif [[ -n "$skip" ]]; then words="$skip"
  elif [[ "$current" == -* ]]; then words="$options"
  fi
  case "$words" in
    @text) COMPREPLY=() ;;
    @file)
      compopt -o filenames 2> /dev/null
      local IFS=$'\\n' # names may have spaces
      COMPREPLY=($(compgen -f -- "$current")) ;;
    @command) COMPREPLY=($(compgen -c -- "$current")) ;;
    @words:*)
      COMPREPLY=() # without compgen -W, which runs what looks like a command in a word
      while IFS= read -r word; do
        [[ "$word" != "$current"* ]] || COMPREPLY+=("$word")
      done < <(functez words "\${words#@words:}" 2> /dev/null) ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
  esac
}
complete -F _functez functez
`;
}
