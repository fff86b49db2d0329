import { followed, type Place, type Tree, type Value, valued } from './tree.js'

/** A script for bash from 3.2: words are completed by builtins, so that pressing Tab starts nothing. */
export const bash = (tree: Tree): string => `# bash completion for svc

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
${followed(tree, '_svc_paths')}
  done
  case $at in
${tree.map(placeCase).join('\n')}
  esac
}

complete -F _svc svc
`

function placeCase({ path, commands, flags, operand }: Place): string {
  const values = valued(flags).map(({ names, value }) => `        ${names.join('|')}) ${valueWords(value)}; return ;;`)
  const spellings = flags.flatMap(({ short, long }) => (short && short !== long ? [short, long] : [long]))
  const rest = commands.length > 0 ? words(commands.map(({ name }) => name)) : operand ? valueWords(operand) : ':'
  return `    ${path === '' ? "''" : `' ${path}'`})
      case $prev in
${values.join('\n')}
      esac
      if [[ $cur == -* ]]; then ${words(spellings)}; else ${rest}; fi ;;`
}

const words = (list: readonly string[]): string => `_svc_words '${list.join(' ')}'`
const valueWords = (value: Value): string =>
  value === 'any' ? ':' : value === 'path' ? '_svc_paths' : words(value.choices)
