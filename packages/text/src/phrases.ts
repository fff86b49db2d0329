/** Cut a text to a number of characters, ending in an ellipsis if it was longer. */
export const cut = (text: string, length: number): string =>
  text.length <= length || endOf(text, length) >= text.length ? text : `${text.slice(0, endOf(text, length - 1))}…`

/** The offset in UTF-16 code units at which that many characters end. */
function endOf(text: string, characters: number): number {
  let end = 0
  for (let n = 0; n < characters && end < text.length; n++) end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1
  return end
}

/** A number of things, as in `1 file` or `2 files`. */
export const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`

/** As in `66.7 %`. */
export const percent = (share: number): string => `${Number((share * 100).toFixed(1))} %`

/** A command line for a POSIX shell. */
export const shellLine = (words: readonly string[]): string => words.map(shellWord).join(' ')

const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/** The first of many lines, and how many more there are. */
export const firstLines = (lines: readonly string[], most = 5): string[] =>
  lines.length > most ? [...lines.slice(0, most), `and ${lines.length - most} more`] : [...lines]

const mostNames = 3

export function firstNames(names: readonly string[], all = names.length): string {
  const first = names.slice(0, mostNames).join(', ')
  return all > mostNames ? `${first} and ${all - mostNames} more` : first
}

/** A transcript as every output names it: the path of its file, its record and part from 1, its name, and its own id if it has one. */
export interface Titled {
  path: string
  record: number
  part: number
  name: string
  external_id?: string | undefined
}

/** The place of a transcript in every output: its file, with the record and part if there are several. */
export const placeText = ({ path, record, part }: Omit<Titled, 'name' | 'external_id'>): string =>
  `${path}${record > 1 ? ` record ${record}` : ''}${part > 1 ? ` part ${part}` : ''}`

/** The title of a transcript in every output: its own id, and its name, or its place if the name is empty. */
export function titleText({ external_id: id = '', ...each }: Titled): string {
  const name = each.name.trim() === '' ? placeText(each) : each.name
  // A short id may be a part of a name by chance, such as `3` of `rows (35)`.
  const isNamed = id.length >= 6 ? name.includes(id) : name === id
  return id.trim() === '' || isNamed ? name : `${cut(id, maxId)} · ${name}`
}

const maxId = 60
