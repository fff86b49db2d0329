import { grouped } from '@svc/text'
import type { KnownKind } from '../../config/index.js'

/** The values of a flag or an argument: some words, a path, those that a file of the completion knows, or any. */
export type CompletedValue = { choices: readonly string[] } | 'path' | KnownKind | 'any'

/** A flag of a command. */
export interface CompletedFlag {
  /** Both spellings, such as `-q` and `--quiet`; the long one comes last. */
  names: readonly string[]
  /** Undefined if the flag takes no value, or an optional one. */
  value: CompletedValue | undefined
  description: string
}

/** A command, with all that can follow its name. */
export interface CompletedCommand {
  /** Such as `projects list`; empty for `svc` itself. */
  path: string
  subcommands: readonly { name: string; description: string }[]
  flags: readonly CompletedFlag[]
  argument: CompletedValue | undefined
}

type Commands = readonly CompletedCommand[]

const pathsOf = (commands: Commands): string[] => commands.map(({ path }) => path).filter(Boolean)

/** The flags that take a value, as one list of names for each kind of value. */
const valuesOf = (flags: readonly CompletedFlag[]): { names: string[]; value: CompletedValue }[] =>
  [...grouped(flags, ({ value }) => JSON.stringify(value)).values()].flatMap((group) => {
    const value = group[0]?.value
    return value === undefined ? [] : [{ names: group.flatMap(({ names }) => names), value }]
  })

const namesWithValue = (commands: Commands): string[] => [
  ...new Set(commands.flatMap(({ flags }) => valuesOf(flags).flatMap(({ names }) => names))),
]

interface InShell {
  path: string
  known(kind: KnownKind): string
  choices(words: string): string
}

function inShell(value: CompletedValue | undefined, of: InShell): string {
  if (value === undefined || value === 'any') return ':'
  if (value === 'path') return of.path
  return typeof value === 'string' ? of.known(value) : of.choices(value.choices.join(' '))
}

/** Lines for bash and zsh that set `file` to the file with the values of a kind, of which each line is read as text. */
const findKnown = `  local root=\${SVC_CACHE_DIR:-} value title rest
  if [[ -z $root && \${XDG_CACHE_HOME:-} == /* ]]; then root=$XDG_CACHE_HOME/svc; fi
  local file=\${root:-\${HOME:-}/.cache/svc}/completion/$1
  [[ -f $file && -r $file ]] || return 0`

/** Lines for bash and zsh that follow the words before the cursor to a command; `completePaths` completes files. */
const followWords = (commands: Commands, completePaths: string): string => `    case $word in
      --) [[ -n $at ]] && ${completePaths}; return ;;
      ${namesWithValue(commands).join('|')}) skip=1 ;;
      -*) ;;
      *)
        case "$at $word" in
          ${pathsOf(commands)
            .map((path) => `' ${path}'`)
            .join('|')}) at="$at $word" ;;
        esac ;;
    esac`

/** For bash from 3.2; it uses builtins only. */
const bash = (commands: Commands): string => `# bash completion for svc

_svc_words() { COMPREPLY=($(compgen -W "$1" -- "$cur")); }
_svc_paths() {
  local IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen -f -- "$cur"))
}
_svc_known() {
${findKnown}
  while IFS=$'\\t' read -r value title rest; do
    if [[ $value == "$cur"* ]]; then COMPREPLY+=("$value"); fi
  done < "$file"
}

_svc() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} at= i word skip=
  COMPREPLY=()
  # In --flag=value bash takes the = for a word of its own.
  if [[ $cur == = ]]; then cur=
  elif [[ $prev == = ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ $word == = ]]; then skip=1; continue; fi
    if [[ -n $skip ]]; then skip=; continue; fi
${followWords(commands, '_svc_paths')}
  done
  case $at in
${commands.map(bashCase).join('\n')}
  esac
}

complete -F _svc svc
`

function bashCase({ path, subcommands, flags, argument }: CompletedCommand): string {
  const words = (list: string): string => `_svc_words '${list}'`
  const complete = (value: CompletedValue | undefined) =>
    inShell(value, { path: '_svc_paths', known: (kind) => `_svc_known ${kind}`, choices: words })
  const values = valuesOf(flags).map(({ names, value }) => `        ${names.join('|')}) ${complete(value)}; return ;;`)
  const rest = subcommands.length > 0 ? words(subcommands.map(({ name }) => name).join(' ')) : complete(argument)
  return `    ${path === '' ? "''" : `' ${path}'`})
      case $prev in
${values.join('\n')}
      esac
      if [[ $cur == -* ]]; then ${words(flags.flatMap(({ names }) => names).join(' '))}; else ${rest}; fi ;;`
}

/** For a directory in the `fpath` of zsh, or to be sourced. */
const zsh = (commands: Commands): string => `#compdef svc

_svc_known() {
${findKnown}
  local -a values titles
  while IFS=$'\\t' read -r value title rest; do
    values+=("$value")
    titles+=("$value  $title")
  done < "$file"
  compadd -l -d titles -a values
}

_svc() {
  local at='' word prev=\${words[CURRENT-1]} i skip=''
  local -a names
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    if [[ -n $skip ]]; then skip=''; continue; fi
${followWords(commands, '_files')}
  done
  # In --flag=value the value is completed on its own.
  if [[ $PREFIX == --*=* ]]; then
    prev=\${PREFIX%%=*}
    compset -P '*='
  fi
  case $at in
${commands.map(zshCase).join('\n')}
  esac
}

if [[ $funcstack[1] == _svc ]]; then _svc "$@"; else compdef _svc svc; fi
`

function zshCase({ path, subcommands, flags, argument }: CompletedCommand): string {
  const complete = (value: CompletedValue | undefined) =>
    inShell(value, {
      path: '_files',
      known: (kind) => `_svc_known ${kind}`,
      choices: (words) => `compadd -- ${words}`,
    })
  const described = (name: string, description: string) => `'${name}:${description}'`
  const values = valuesOf(flags).map(({ names, value }) => `        ${names.join('|')}) ${complete(value)}; return ;;`)
  const words = subcommands.map(({ name, description }) => described(name, description)).join(' ')
  const spellings = flags.flatMap(({ names, description }) => names.map((name) => described(name, description)))
  return `    ${path === '' ? "''" : `' ${path}'`})
      case $prev in
${values.join('\n')}
      esac
      if [[ $PREFIX == -* ]]; then
        names=(${spellings.join(' ')})
        _describe -o flag names
      else
        ${words === '' ? complete(argument) : `names=(${words}); _describe command names`}
      fi ;;`
}

/** For fish: one line for each command and flag. */
const fish = (commands: Commands): string => `# fish completion for svc

function __svc_at --description 'True if the words so far name this command'
  set -l at
  set -l skip
  for word in (commandline -opc)[2..-1]
    if test -n "$skip"
      set skip
      continue
    end
    switch $word
      case --
        break
      case ${namesWithValue(commands).join(' ')}
        set skip 1
      case '-*'
      case '*'
        contains -- "$at $word" ${pathsOf(commands)
          .map((path) => `' ${path}'`)
          .join(' ')}; and set at "$at $word"
    end
  end
  test "$at" = "$argv[1]"
end

function __svc_known --description 'Values that the last answers of the service had'
  set -l root $SVC_CACHE_DIR
  test -z "$root"; and string match -q '/*' -- "$XDG_CACHE_HOME"; and set root $XDG_CACHE_HOME/svc
  test -z "$root"; and set root $HOME/.cache/svc
  test -f $root/completion/$argv[1] -a -r $root/completion/$argv[1]; or return
  while read -l line
    string replace -r '\\t[^\\t]*$' '' -- $line
  end < $root/completion/$argv[1]
end

complete -c svc -f
${commands.flatMap(fishLines).join('\n')}
`

function fishLines({ path, subcommands, flags, argument }: CompletedCommand): string[] {
  const line = `complete -c svc -n "__svc_at '${path === '' ? '' : ` ${path}`}'"`
  const complete = (value: CompletedValue) =>
    value === 'any'
      ? ''
      : inShell(value, {
          path: ' -F',
          known: (kind) => ` -a '(__svc_known ${kind})'`,
          choices: (words) => ` -a '${words}'`,
        })
  const optionLine = ({ names, value, description }: CompletedFlag) => {
    const spellings = names.map((name) => (name.startsWith('--') ? ` -l ${name.slice(2)}` : ` -s ${name.slice(1)}`))
    const wanted = value === undefined ? '' : `${value === 'path' ? ' -r' : ' -x'}${complete(value)}`
    return `${line}${spellings.join('')}${wanted} -d '${description}'`
  }
  return [
    ...subcommands.map(({ name, description }) => `${line} -a ${name} -d '${description}'`),
    ...(subcommands.length === 0 && argument !== undefined && argument !== 'any' ? [line + complete(argument)] : []),
    ...flags.map(optionLine),
  ]
}

/** For PowerShell. The script offers nothing for a path, and PowerShell completes the path. */
const pwsh = (commands: Commands): string => `# PowerShell completion for svc

Register-ArgumentCompleter -Native -CommandName svc -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $places = @{
${commands.map(pwshEntry).join('\n')}
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
  if ($offered.Count -eq 1 -and "$offered" -match '^<(\\w+)>$') {
    $kind = $Matches[1]
    $root = if ($env:SVC_CACHE_DIR) { $env:SVC_CACHE_DIR }
      elseif ("$env:XDG_CACHE_HOME".StartsWith('/')) { "$env:XDG_CACHE_HOME/svc" }
      else { "$HOME/.cache/svc" }
    $file = "$root/completion/$kind"
    $offered = if (Test-Path -LiteralPath $file -PathType Leaf) {
      Get-Content -LiteralPath $file -ErrorAction SilentlyContinue | ForEach-Object { ($_ -split "\`t")[0] }
    }
  }
  $offered | Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`

function pwshEntry({ path, subcommands, flags, argument }: CompletedCommand): string {
  const list = (words: readonly string[]): string => `@(${words.map((word) => `'${word}'`).join(', ')})`
  const choices = (value: CompletedValue | undefined) =>
    typeof value === 'object' ? value.choices : value === 'projects' || value === 'annotators' ? [`<${value}>`] : []
  const words = subcommands.length > 0 ? subcommands.map(({ name }) => name) : choices(argument)
  const values = flags.flatMap(({ names, value }) =>
    value === undefined ? [] : names.map((name) => `'${name}' = ${list(choices(value))}`),
  )
  return `    '${path}' = @{ Words = ${list(words)}; Flags = ${list(flags.flatMap(({ names }) => names))}; Values = @{ ${values.join('; ')} } }`
}

/** The completion script of each shell. */
export const completionScripts = { bash, zsh, fish, pwsh }
