// The completion script of PowerShell, Windows PowerShell 5.1 and later.
import { stepsOf, type TableCommand, valuesOf, valueText } from "./command-table.ts";

const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;

export function powershellScript(table: readonly TableCommand[]): string {
  const entries = (pairs: readonly (readonly [string, string])[]) =>
    pairs.map(([key, value]) => `    ${quote(key)} = ${value}`).join("\n");
  const list = (pairs: readonly (readonly [string, string])[]) =>
    `@(${pairs.map(([name, description]) => `@(${quote(name)}, ${quote(description)})`).join(", ")})`;
  const offers = table.map(({ path, commands, options, argument }) => {
    const names = commands.map(({ name, description }) => [name, description] as const);
    const flags = options.map((option) => [option.names.at(-1)!, option.description] as const);
    const kind = argument === undefined ? "@none" : valueText(argument);
    return [path, `@{ commands = ${list(names)}; options = ${list(flags)}; kind = ${quote(kind)} }`] as const;
  });
  return `# PowerShell completion for functez; add to $PROFILE:  functez completions --shell powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName functez -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $steps = @{
${entries(stepsOf(table).map(({ from, word, to }) => [`${from}|${word}`, quote(to)]))}
  }
  # Names of options differ by case only (-d and -D are two).
  $values = New-Object System.Collections.Hashtable ([StringComparer]::Ordinal)
${valuesOf(table)
  .flatMap(({ path, names, value }) => names.map((name) => [`${path}|${name}`, valueText(value)] as const))
  .map(([key, value]) => `  $values[${quote(key)}] = ${quote(value)}`)
  .join("\n")}
  $offers = @{
${entries(offers)}
  }
  $where = ''; $skip = ''; $seen = $false
  $before = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
    Select-Object -Skip 1 | ForEach-Object { $_.Extent.Text })
  foreach ($word in $before) {
    if ($skip -ne '') { $skip = '' }
    elseif ($word -eq '--') { return } # the command line of another program
    elseif ($word -like '-*') { if ($values.ContainsKey("$where|$word")) { $skip = $values["$where|$word"] } }
    elseif ($steps.ContainsKey("$where|$word")) { $where = $steps["$where|$word"] }
    else { $seen = $true }
  }
  $offer = $offers[$where]
  if ($skip -eq '' -and -not $offer.commands -and $wordToComplete -notlike '-*') { $skip = $offer.kind }
  if ($skip -like '@words:*') {
    $found = @(functez words $skip.Substring(7) 2> $null | ForEach-Object { , @($_, $_) })
  }
  elseif ($skip -ne '') { $found = if ($skip -like '@*') { @() } else { @($skip -split ' ' | ForEach-Object { , @($_, $_) }) } }
  elseif ($wordToComplete -like '-*') { $found = $offer.options }
  else { $found = $offer.commands }
  # Nothing found: PowerShell itself offers file names.
  $found | Where-Object { $_[0] -like "$wordToComplete*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_[0], $_[0], 'ParameterValue', $_[1])
  }
}
`;
}
