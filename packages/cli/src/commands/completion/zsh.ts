import { followed, type Place, type Tree, type Value, valued } from './tree.js'

/** A script for zsh, for a folder of its `fpath` or to be sourced. */
export const zsh = (tree: Tree): string => `#compdef svc

_svc() {
  local at='' word prev=\${words[CURRENT-1]} i skip=''
  local -a names
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    if [[ -n $skip ]]; then skip=''; continue; fi
${followed(tree, '_files')}
  done
  # In --flag=value the value is completed on its own.
  if [[ $PREFIX == --*=* ]]; then
    prev=\${PREFIX%%=*}
    compset -P '*='
  fi
  case $at in
${tree.map(placeCase).join('\n')}
  esac
}

if [[ $funcstack[1] == _svc ]]; then _svc "$@"; else compdef _svc svc; fi
`

function placeCase({ path, commands, flags, operand }: Place): string {
  const values = valued(flags).map(({ names, value }) => `        ${names.join('|')}) ${valueWords(value)}; return ;;`)
  const spellings = flags.flatMap(({ short, long, description }) =>
    (short && short !== long ? [short, long] : [long]).map((name) => `'${name}:${description}'`),
  )
  const named = commands.map(({ name, description }) => `'${name}:${description}'`)
  const rest =
    named.length > 0 ? `names=(${named.join(' ')}); _describe command names` : operand ? valueWords(operand) : ':'
  return `    ${path === '' ? "''" : `' ${path}'`})
      case $prev in
${values.join('\n')}
      esac
      if [[ $PREFIX == -* ]]; then
        names=(${spellings.join(' ')})
        _describe -o flag names
      else
        ${rest}
      fi ;;`
}

const valueWords = (value: Value): string =>
  value === 'any' ? ':' : value === 'path' ? '_files' : `compadd -- ${value.choices.join(' ')}`
