import { grouped } from '@svc/text'
import { type Action, type Command, examples, type SetAction } from './action.js'

export function completionCommand(command: Command, setAction: SetAction): void {
  command.registeredArguments[0]?.choices(Object.keys(scripts))
  command.addHelpText(
    'after',
    `
The script lists the commands and flags of this version: print it again after an update.
${examples(
  'svc completion bash > ~/.local/share/bash-completion/completions/svc',
  'svc completion zsh > ~/.zfunc/_svc',
  'svc completion fish > ~/.config/fish/completions/svc.fish',
  'svc completion pwsh >> $PROFILE',
)}`,
  )
  const complete: Action<[keyof typeof scripts], object> = async ({ io }, [shell]) => {
    if (command.parent) io.stdout.write(scripts[shell](commandsOf(command.parent)))
  }
  setAction(command, complete)
}

type Value = { choices: readonly string[] } | 'path' | 'any'

interface Flag {
  /** Both spellings, such as `-q` and `--quiet`; the long one comes last. */
  names: readonly string[]
  /** Undefined if the flag takes no value, or an optional one. */
  value: Value | undefined
  description: string
}

interface CompletedCommand {
  /** Such as `projects list`; empty for `svc` itself. */
  path: string
  subcommands: readonly { name: string; description: string }[]
  flags: readonly Flag[]
  argument: Value | undefined
}

type Commands = readonly CompletedCommand[]

function commandsOf(command: Command, path = '', globalFlags = flagsOf(command)): CompletedCommand[] {
  const isRoot = path === ''
  const [argument] = command.registeredArguments
  const own = {
    path,
    subcommands: command.commands.map((each) => ({ name: each.name(), description: brief(each.description()) })),
    flags: [
      ...(isRoot ? [] : flagsOf(command)),
      ...globalFlags.filter(({ names }) => isRoot || !names.includes('--version')),
      { names: ['-h', '--help'], value: undefined, description: 'display help' },
    ],
    argument: argument && valueNamed(argument.argChoices, argument.name()),
  }
  const nested = command.commands.flatMap((each) => commandsOf(each, `${path} ${each.name()}`.trim(), globalFlags))
  return [own, ...nested]
}

const flagsOf = ({ options }: Command): Flag[] =>
  options
    .filter(({ hidden }) => !hidden)
    .map(({ short, long, required, argChoices, flags, description }) => ({
      names: [...new Set([short, long].filter((name) => name !== undefined))],
      value: required ? valueNamed(argChoices, flags) : undefined,
      description: brief(description),
    }))

const valueNamed = (choices: readonly string[] | undefined, name: string): Value =>
  choices ? { choices } : /\b(file|dir|path)\b/.test(name) ? 'path' : 'any'

/** The start of a description, without characters that a shell interprets. */
const brief = (text: string): string =>
  text
    .split(/[;(:]|\. /)[0]
    ?.replace(/[^A-Za-z0-9 ,./-]/g, '')
    .trim() ?? ''

const pathsOf = (commands: Commands): string[] => commands.map(({ path }) => path).filter(Boolean)

/** The flags that take a value, as one list of names for each kind of value. */
const valuesOf = (flags: readonly Flag[]): { names: string[]; value: Value }[] =>
  [...grouped(flags, ({ value }) => JSON.stringify(value)).values()].flatMap((group) => {
    const value = group[0]?.value
    return value === undefined ? [] : [{ names: group.flatMap(({ names }) => names), value }]
  })

const namesWithValue = (commands: Commands): string[] => [
  ...new Set(commands.flatMap(({ flags }) => valuesOf(flags).flatMap(({ names }) => names))),
]

const inShell = (value: Value | undefined, of: { path: string; choices(words: string): string }): string =>
  value === undefined || value === 'any' ? ':' : value === 'path' ? of.path : of.choices(value.choices.join(' '))

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
  const complete = (value: Value | undefined) => inShell(value, { path: '_svc_paths', choices: words })
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
  const complete = (value: Value | undefined) =>
    inShell(value, { path: '_files', choices: (words) => `compadd -- ${words}` })
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

complete -c svc -f
${commands.flatMap(fishLines).join('\n')}
`

function fishLines({ path, subcommands, flags, argument }: CompletedCommand): string[] {
  const line = `complete -c svc -n "__svc_at '${path === '' ? '' : ` ${path}`}'"`
  const complete = (value: Value) =>
    value === 'any' ? '' : inShell(value, { path: ' -F', choices: (words) => ` -a '${words}'` })
  const optionLine = ({ names, value, description }: Flag) => {
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

/** For PowerShell. Where a path is expected the script offers nothing, and PowerShell completes the path. */
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
  $offered | Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`

function pwshEntry({ path, subcommands, flags, argument }: CompletedCommand): string {
  const list = (words: readonly string[]): string => `@(${words.map((word) => `'${word}'`).join(', ')})`
  const choices = (value: Value | undefined) => (typeof value === 'object' ? value.choices : [])
  const words = subcommands.length > 0 ? subcommands.map(({ name }) => name) : choices(argument)
  const values = flags.flatMap(({ names, value }) =>
    value === undefined ? [] : names.map((name) => `'${name}' = ${list(choices(value))}`),
  )
  return `    '${path}' = @{ Words = ${list(words)}; Flags = ${list(flags.flatMap(({ names }) => names))}; Values = @{ ${values.join('; ')} } }`
}

const scripts = { bash, zsh, fish, pwsh }
