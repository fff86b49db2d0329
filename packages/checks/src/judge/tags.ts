import { type CheckReport, type Policy, type ReportCase, results, type Slice } from '../report/index.js'
import type { Conversation } from '../transcript.js'
import { tallyOf } from '../values.js'

/** The values of each tag. A tag that is missing here is not known, because the file could not be read. */
export type Tags = NonNullable<ReportCase['tags']>

/** `folder:1` is the first folder of the path, from the folder of the policy. */
const folderSource = /^folder:([1-9]\d*)$/

/** The tags of a transcript, or those that only need the path if it could not be read. `folders` are those of its path. */
export function tagsOf(tags: Policy['tags'], folders: readonly string[], conversation?: Conversation): Tags {
  const values = Object.entries(tags ?? {}).flatMap(([tag, source]): [string, string[]][] => {
    const [, at] = folderSource.exec(source) ?? []
    if (at !== undefined) return [[tag, folders.slice(Number(at) - 1, Number(at))]]
    return conversation ? [[tag, fieldValues(conversation, source)]] : []
  })
  return Object.fromEntries(values)
}

/** The cluster of a transcript: the values of a tag, or of a field; undefined without any. */
export function clusterOf(source: string | undefined, tags: Tags, conversation: Conversation): string | undefined {
  if (source === undefined) return undefined
  const values = tags[source] ?? fieldValues(conversation, source)
  return values.length === 0 ? undefined : values.join(', ')
}

/**
 * The values of a field of a transcript, and of the field of its metadata with the same name; each element of a list is a
 * value. Dots lead to nested fields.
 */
export function fieldValues({ name: ownName, transcript }: Conversation, name: string): string[] {
  const { metadata = {}, modelName, language, sourceSystem, externalId, externalUserId, format } = transcript
  const fields: Record<string, unknown> = { metadata, name: ownName, model_name: modelName, language, format }
  Object.assign(fields, { source_system: sourceSystem, external_id: externalId, external_user_id: externalUserId })
  const values = [fields, metadata].flatMap((of) => [fieldOf(of, name), name.split('.').reduce<unknown>(fieldOf, of)])
  return [...new Set(values.flat().filter(isScalar).map(String))]
}

const fieldOf = (of: unknown, name: string): unknown =>
  typeof of === 'object' && of !== null && Object.hasOwn(of, name) ? (of as Record<string, unknown>)[name] : undefined

const isScalar = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value)

/** Each value of a tag with its cases; null for those without a value. A case with several values is in several slices. */
export function sliced(cases: readonly ReportCase[], tag: string): [value: string | null, of: ReportCase[]][] {
  const slices = new Map<string | null, ReportCase[]>()
  for (const each of cases) {
    const values = each.tags?.[tag] ?? []
    for (const value of values.length > 0 ? values : [null]) {
      const slice = slices.get(value)
      if (slice) slice.push(each)
      else slices.set(value, [each])
    }
  }
  return [...slices].sort(([a], [b]) => (a === null ? 1 : b === null ? -1 : a < b ? -1 : 1))
}

/** True if it is not known whether a case belongs to a slice. */
export const mayBelong = ({ tags }: ReportCase, tag: string): boolean => tags?.[tag] === undefined

export function slicesOf(cases: readonly ReportCase[], tags: Policy['tags']): Pick<CheckReport, 'slices'> {
  if (tags === undefined || Object.keys(tags).length === 0) return {}
  const slices = Object.keys(tags).flatMap((tag) =>
    sliced(cases, tag).map(([value, of]): Slice => {
      const tally = tallyOf(
        results,
        of.map(({ result }) => result),
      )
      return { tag, value, total: of.length, judged: of.length - tally['not judged'], results: tally }
    }),
  )
  return { slices }
}
