import { everyValued, type Flag, pathsOf, type Tree, type Value } from './tree.js'

/** A script for fish: one line for each command and flag, for those words after which it may stand. */
export const fish = (tree: Tree): string => `# fish completion for svc

function __svc_at --description 'Whether the words so far name this command'
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
      case ${everyValued(tree).join(' ')}
        set skip 1
      case '-*'
      case '*'
        contains -- "$at $word" ${pathsOf(tree)
          .map((path) => `' ${path}'`)
          .join(' ')}; and set at "$at $word"
    end
  end
  test "$at" = "$argv[1]"
end

complete -c svc -f
${tree.flatMap(({ path, commands, flags, operand }) => linesOf(path === '' ? '' : ` ${path}`, commands, flags, operand)).join('\n')}
`

function linesOf(
  at: string,
  commands: readonly { name: string; description: string }[],
  flags: readonly Flag[],
  operand: Value | undefined,
): string[] {
  const line = `complete -c svc -n "__svc_at '${at}'"`
  return [
    ...commands.map(({ name, description }) => `${line} -a ${name} -d '${description}'`),
    ...(commands.length === 0 && operand !== undefined && operand !== 'any' ? [`${line} ${wanted(operand)}`] : []),
    ...flags.map(
      ({ short, long, value, description }) =>
        `${line}${short && short !== long ? ` -s ${short.slice(1)}` : ''} -l ${long.slice(2)}${
          value === undefined ? '' : ` ${value === 'path' ? '-r' : '-x'} ${wanted(value)}`.trimEnd()
        } -d '${description}'`,
    ),
  ]
}

const wanted = (value: Value): string =>
  value === 'any' ? '' : value === 'path' ? '-F' : `-a '${value.choices.join(' ')}'`
