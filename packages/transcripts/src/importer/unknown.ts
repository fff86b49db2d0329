import { aliasedRole } from '../contract/index.js'
import { describe, getOrInsert, isObject } from '../json/index.js'
import type { ColumnField } from '../records/index.js'
import type { Ranked } from './detect.js'

export type Columns = Partial<Record<ColumnField, string>>

/** The message for a file that no format recognizes: what was found, and how to read it. `reads`: true if a map reads the records. */
export function unknownFormat(
  values: readonly unknown[],
  best: Ranked | undefined,
  reads: ((columns: Columns) => boolean) | undefined,
): string {
  const groups = groupsOf(values).map(textsIn)
  const works = reads && groups.flatMap(mapsOf).find(reads)
  const fields = [...new Set(groups.flatMap((texts) => [...texts.keys()]))].filter(isSaid).slice(0, mostShown)
  const own = ', or write a format of your own (--importer)'
  const help = works
    ? `; to read it, give ${Object.entries(works).map(mapOption).join(' ')}`
    : best !== undefined && best.confidence >= leastLike
      ? `; ${likeText(best)}: --format ${best.format} reads it as that`
      : fields.length === 0
        ? ''
        : `; its texts are in ${fields.map((field) => JSON.stringify(field)).join(', ')}: map those of a conversation (--map user=FIELD --map assistant=FIELD, or role and content)${own}`
  return `expected a transcript, found ${describe(values[0])}${help}`
}

const likeText = ({ format, recognized, sampled }: Ranked): string =>
  sampled === 1 ? `it may be ${format}` : `${recognized} of the first ${sampled} records look like ${format}`

/** A format that recognizes a file less surely is not named. */
const leastLike = 0.3

const mostShown = 8

function mapOption([field, name]: [string, string]): string {
  const text = `${field}=${name}`
  return `--map ${/^[\w.=:-]+$/.test(text) ? text : JSON.stringify(text)}`
}

const sampled = 50
const maxDepth = 3

/** Objects of one kind: the records, and the elements of each list in them by its field. */
function groupsOf(values: readonly unknown[]): object[][] {
  const groups = new Map<string, object[]>()
  const add = (value: unknown, path: string, depth: number) => {
    if (depth > maxDepth || typeof value !== 'object' || value === null) return
    if (Array.isArray(value)) for (const each of value.slice(0, sampled)) add(each, `${path}[]`, depth + 1)
    else {
      getOrInsert(groups, path, () => []).push(value)
      for (const [key, each] of Object.entries(value)) if (Array.isArray(each)) add(each, `${path}.${key}`, depth + 1)
    }
  }
  for (const value of values.slice(0, sampled)) add(value, '', 0)
  return [...groups.values()]
}

/** The texts of objects by their fields, also of objects in them. */
function textsIn(group: readonly object[]): Map<string, string[]> {
  const texts = new Map<string, string[]>()
  const add = (value: object, path: string) => {
    for (const [key, each] of Object.entries(value)) {
      if (typeof each === 'string' && each !== '') getOrInsert(texts, path + key, () => []).push(each)
      else if (path === '' && isObject(each)) add(each, `${key}.`)
    }
  }
  for (const each of group) add(each, '')
  return texts
}

const asks = /quer|quest|prompt|input|user|human|instruct|request|asks?$|customer|client/i
const answers = /answer|repl|respon|output|complet|assist|bot|model|generat|result|agent/i

/** Last words of names of fields that hold no words of a person. */
const facts =
  /(^|[._-]|[a-z](?=[A-Z]))(ids?|uuid|type|kind|model|version|status|time|timestamp|date|at|name|key|hash|url|format|mode|lang|language)$/i
const notSaid = /expected|reference|target|gold|label/i

const isSaid = (field: string): boolean => !facts.test(field) && !notSaid.test(field)

/** The maps that may read objects with these texts, the likeliest first. */
function mapsOf(texts: Map<string, string[]>): Columns[] {
  const fields = [...texts.keys()]
  const length = (field: string) => (texts.get(field) ?? []).reduce((sum, text) => sum + text.length, 0)
  const byLength = fields.filter(isSaid).sort((a, b) => length(b) - length(a))
  const isRole = (field: string) => texts.get(field)?.every((text) => aliasedRole(text) !== undefined)
  const rows = fields
    .filter(isRole)
    .flatMap((role) => byLength.filter((content) => content !== role).map((content) => ({ role, content })))
  const pairs = byLength
    .filter((field) => answers.test(field))
    .flatMap((assistant) =>
      byLength.filter((user) => user !== assistant && asks.test(user)).map((user) => ({ user, assistant })),
    )
  return [...rows, ...pairs].slice(0, mostTried)
}

/** A map is tried on the records that were read so far. */
const mostTried = 6
