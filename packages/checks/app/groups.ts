import { count, escapeLine } from '@svc/text'
import type { EmbeddedCase, EmbeddedReport } from '../src/report/embedded.js'

/** A way to group transcripts: `folder`, or `tag NAME`. */
export type Grouping = 'folder' | `tag ${string}`

/** A group of transcripts; `value` is null for those without a folder or without a value of the tag. */
export interface Member {
  by: Grouping
  value: string | null
}

export interface Group extends Member {
  total: number
  judged: number
  failed: number
  indices: number[]
}

/** The groupings that separate the transcripts of a report. */
export function groupings({ slices = [] }: EmbeddedReport, cases: readonly EmbeddedCase[]): Grouping[] {
  const tags = [...new Set(slices.map(({ tag }): Grouping => `tag ${tag}`))]
  const folders = new Set(cases.map(({ path }) => folderOf(path)))
  return [...(folders.size > 1 ? (['folder'] as const) : []), ...tags]
}

/**
 * The groups of the chosen transcripts, in their order; the one with the most failed transcripts comes first. A transcript
 * with several values is in several groups, or with `once` in one group of all its values.
 */
export function groupsOf(
  cases: readonly EmbeddedCase[],
  chosen: Iterable<number>,
  by: Grouping,
  { once = false } = {},
): Group[] {
  const groups = new Map<string | null, Group>()
  for (const index of chosen) {
    const each = cases[index]
    const values = each ? valuesOf(each, by) : []
    for (const value of once && values.length > 1 ? [values.join(', ')] : values) {
      const group = groups.get(value) ?? { by, value, total: 0, judged: 0, failed: 0, indices: [] }
      groups.set(value, group)
      group.total++
      if (each?.result !== 'not judged') group.judged++
      if (each?.result === 'failed') group.failed++
      group.indices.push(index)
    }
  }
  return [...groups.values()].sort((a, b) => b.failed - a.failed || ((a.value ?? '') < (b.value ?? '') ? -1 : 1))
}

export const isMember = (each: EmbeddedCase, { by, value }: Member): boolean => valuesOf(each, by).includes(value)

/** The folder that all transcripts have in common, with a slash at its end; empty if there is none. */
export function commonFolder(cases: readonly EmbeddedCase[]): string {
  const [first = '', ...others] = new Set(cases.map(({ path }) => `${folderOf(path) ?? ''}/`))
  const isCommon = (folder: string) => others.every((other) => other.startsWith(folder))
  let folder = first
  while (folder !== '' && !isCommon(folder)) {
    const end = folder.lastIndexOf('/', folder.length - 2)
    folder = end <= 0 ? '' : folder.slice(0, end + 1)
  }
  return folder
}

/** As in `orders/returns`, `team=a` or `without team`. A folder can be named without the beginning `below`. */
export function memberText({ by, value }: Member, below = ''): string {
  if (by === 'folder') {
    if (value === null) return 'no folder'
    return escapeLine(`${value}/`.startsWith(below) ? value.slice(below.length) || '.' : value)
  }
  const tag = by.slice('tag '.length)
  return escapeLine(value === null ? `without ${tag}` : `${tag}=${value}`)
}

/** As in `2 of 10 failed, 1 not judged`. */
export const groupText = ({ failed, total, judged }: Group): string =>
  `${failed} of ${count(total, 'transcript')} failed${judged < total ? `, ${total - judged} not judged` : ''}`

/** A transcript may have several values of a tag; the tags of a file that could not be read are not known. */
function valuesOf({ path, tags }: EmbeddedCase, by: Grouping): (string | null)[] {
  if (by === 'folder') return [folderOf(path)]
  const values = tags?.[by.slice('tag '.length)] ?? []
  return values.length > 0 ? [...values] : [null]
}

function folderOf(path: string): string | null {
  const end = path.lastIndexOf('/')
  return end <= 0 ? null : path.slice(0, end)
}
