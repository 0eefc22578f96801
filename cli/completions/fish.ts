// The completion script of fish, with descriptions.
import { stepsOf, type TableCommand, valuesOf, valueText } from "./command-table.ts";

const quote = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
/** A word and its description in fish's format: separated by a tab. */
const describe = (name: string, description: string): string => `${quote(name)}\\t${quote(description)}`;

export function fishScript(table: readonly TableCommand[]): string {
  const cases = (lines: readonly string[]) => lines.map((line) => `    case ${line}`).join("\n");
  const steps = stepsOf(table).map(
    ({ from, word, to }) => `${quote(`${from}|${word}`)}\n      set where ${quote(to)}`,
  );
  const values = valuesOf(table).map(
    ({ path, names, value }) =>
      `${names.map((name) => quote(`${path}|${name}`)).join(" ")}\n      set skip ${quote(valueText(value))}`,
  );
  const offers = table.map(({ path, commands, options, argument }) => {
    const names = commands.map(({ name, description }) => describe(name, description)).join(" ");
    const flags = options.map((option) => describe(option.names.at(-1)!, option.description)).join(" ");
    const kind = argument === undefined ? "@none" : valueText(argument);
    return `${quote(path)}\n      set commands ${names}\n      set options ${flags}\n      set kind ${quote(kind)}`;
  });
  return `# fish completion for functez; save as ~/.config/fish/completions/functez.fish
function __functez_complete
  set -l where ''
  set -l skip ''
  set -l rest ''
  set -l seen ''
  set -l last ''
  set -l commands
  set -l options
  set -l kind
  set -l current (commandline -ct)
  for word in (commandline -opc)[2..-1]
    set last $word
    if test -n "$skip"
      set skip ''
    else if test -n "$rest"
      continue
    else if test "$word" = --
      set rest 1
    else if string match -q -- '-*' "$word"
      switch "$where|$word"
${cases(values)}
      end
    else
      switch "$where|$word"
${cases(steps)}
    case '*'
      set seen 1
      end
    end
  end
  switch "$where"
${cases(offers)}
  end
  if test "$kind" = @command -a -n "$seen"
    set rest 1
  end
  if test -n "$rest"
    if test "$last" = --
      __fish_complete_command
    else
      __fish_complete_path "$current"
    end
    return
  end
  if test -n "$skip"
    set kind "$skip"
  else if string match -q -- '-*' "$current"
    printf '%s\\n' $options
    return
  else if test (count $commands) -gt 0
    printf '%s\\n' $commands
    return
  end
  switch "$kind"
    case @file
      __fish_complete_path "$current"
    case @command
      __fish_complete_command
    case @text @none
      return
    case '@words:*'
      functez words (string replace '@words:' '' -- "$kind") 2> /dev/null
    case '*'
      string split ' ' "$kind"
  end
end
complete -c functez -f -a '(__functez_complete)'
`;
}
