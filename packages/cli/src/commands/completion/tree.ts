import type { Command } from '../act.js'

/** What can be typed where a value is wanted: one of some words, a path, or what nobody can know. */
export type Value = { choices: readonly string[] } | 'path' | 'any'

/** A flag in all its spellings. */
export interface Flag {
  /** As in `-q`. */
  short: string | undefined
  /** As in `--quiet`. */
  long: string
  /** Undefined where it takes none, or need not have one. */
  value: Value | undefined
  description: string
}

/** One command: where it stands, and what can follow. */
export interface Place {
  /** As in `projects list`; empty for `svc` itself. */
  path: string
  commands: readonly { name: string; description: string }[]
  flags: readonly Flag[]
  /** What its operands are. */
  operand: Value | undefined
}

/** Every command, from the top. */
export type Tree = readonly Place[]

/** The commands as they are, with the flags of `svc` itself at each of them. */
export const treeOf = (program: Command): Tree => placesOf(program, '', flagsOf(program))

function placesOf(command: Command, path: string, shared: readonly Flag[]): Place[] {
  const { commands } = command
  const own = path === '' ? [] : flagsOf(command)
  const place: Place = {
    path,
    commands: commands.map((each) => ({ name: each.name(), description: brief(each.description()) })),
    flags: [
      ...own,
      ...shared.filter(({ long }) => path === '' || long !== '--version'),
      { short: '-h', long: '--help', value: undefined, description: 'display help' },
    ],
    operand: operandOf(command),
  }
  const below = commands.flatMap((each) => placesOf(each, path === '' ? each.name() : `${path} ${each.name()}`, shared))
  return [place, ...below]
}

const flagsOf = (command: Command): Flag[] =>
  command.options.map(({ short, long, required, argChoices, flags, description }) => ({
    short,
    long: long ?? short ?? '',
    value: required ? wantedBy(argChoices, flags) : undefined,
    description: brief(description),
  }))

/** Of several, the first: only it can be a path or one of some words. */
function operandOf({ registeredArguments: [first] }: Command): Value | undefined {
  return first && wantedBy(first.argChoices, first.name())
}

const wantedBy = (choices: readonly string[] | undefined, name: string): Value =>
  choices ? { choices } : /\b(file|dir|path)\b/.test(name) ? 'path' : 'any'

/** One line of plain characters, which no shell takes for anything else. */
const brief = (text: string): string =>
  text
    .split(/[;(:]|\. /)[0]
    ?.replace(/[^A-Za-z0-9 ,./-]/g, '')
    .trim() ?? ''

/** The commands that can follow, flattened: every path but the empty one. */
export const pathsOf = (tree: Tree): string[] => tree.map(({ path }) => path).filter(Boolean)

/** Flags of a place that are followed by a value, in all spellings, grouped by what the value is. */
export function valued(flags: readonly Flag[]): { names: string[]; value: Value }[] {
  const grouped = new Map<string, { names: string[]; value: Value }>()
  for (const { short, long, value } of flags) {
    if (value === undefined) continue
    const key = JSON.stringify(value)
    const known = grouped.get(key) ?? { names: [], value }
    known.names.push(...(short && short !== long ? [short, long] : [long]))
    grouped.set(key, known)
  }
  return [...grouped.values()]
}

/** Every flag that is followed by a value, in all spellings. */
export const everyValued = (tree: Tree): string[] => [
  ...new Set(tree.flatMap(({ flags }) => valued(flags).flatMap(({ names }) => names))),
]

/** The shell's lines, the same in bash and zsh, by which a word before the cursor leads to its command; `paths` completes files. */
export const followed = (tree: Tree, paths: string): string => `    case $word in
      --) [[ -n $at ]] && ${paths}; return ;;
      ${everyValued(tree).join('|')}) skip=1 ;;
      -*) ;;
      *)
        case "$at $word" in
          ${pathsOf(tree)
            .map((path) => `' ${path}'`)
            .join('|')}) at="$at $word" ;;
        esac ;;
    esac`
