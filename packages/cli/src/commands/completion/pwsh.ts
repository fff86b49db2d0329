import { type Flag, type Place, type Tree, type Value, valued } from './tree.js'

/** A script for PowerShell. Where a path is wanted it gives nothing, and PowerShell completes the path. */
export const pwsh = (tree: Tree): string => `# PowerShell completion for svc

Register-ArgumentCompleter -Native -CommandName svc -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $places = @{
${tree.map(place).join('\n')}
  }
  $at = ''
  $previous = ''
  foreach ($element in ($commandAst.CommandElements | Select-Object -Skip 1)) {
    if ($element.Extent.EndOffset -ge $cursorPosition -and $wordToComplete) { break }
    $word = $element.ToString()
    $isValue = $places[$at].Values.ContainsKey($previous)
    $previous = $word
    if ($isValue -or $word.StartsWith('-')) { continue }
    $next = "$at $word".Trim()
    if ($places.ContainsKey($next)) { $at = $next }
  }
  $place = $places[$at]
  $offered = if ($place.Values.ContainsKey($previous)) { $place.Values[$previous] }
    elseif ($wordToComplete.StartsWith('-')) { $place.Flags }
    else { $place.Words }
  $offered | Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`

function place({ path, commands, flags, operand }: Place): string {
  const names = commands.length > 0 ? commands.map(({ name }) => name) : wordsOf(operand)
  const values = valued(flags).flatMap(({ names: spellings, value }) =>
    spellings.map((name) => `'${name}' = ${list(wordsOf(value))}`),
  )
  const spellings = flags.flatMap(({ short, long }: Flag) => (short && short !== long ? [short, long] : [long]))
  return `    '${path}' = @{ Words = ${list(names)}; Flags = ${list(spellings)}; Values = @{ ${values.join('; ')} } }`
}

const wordsOf = (value: Value | undefined): readonly string[] => (typeof value === 'object' ? value.choices : [])
const list = (words: readonly string[]): string => `@(${words.map((word) => `'${word}'`).join(', ')})`
