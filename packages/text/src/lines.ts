/** A command line for a POSIX shell. */
export const shellLine = (words: readonly string[]): string => words.map(shellWord).join(' ')

const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

const shown = 3

/** The first of many names, and how many more there are. */
export function firstNames(names: readonly string[], all = names.length): string {
  const first = names.slice(0, shown).join(', ')
  return all > shown ? `${first} and ${all - shown} more` : first
}
