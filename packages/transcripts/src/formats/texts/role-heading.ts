import type { Role } from '../../model/index.js'
import { roleOfLabel, withoutSaid } from './labels.js'

/** A heading of Markdown, or a label in bold letters. */
export interface Heading {
  /** `#`, `##`, …, or `**`. */
  kind: string
  text: string
  /** The role that it names; undefined for a title. */
  role: Role | undefined
  label: string
  /** True if it says that somebody speaks, as in `**User:**` or `## You said`. */
  isMarked: boolean
  time: string | undefined
  model: string | undefined
}

const longest = 200
const hash = /^(#{1,6})\s+(.*)$/
const bold = /^\*\*([^*]+)\*\*(\s?:)?\s*(.*)$/
/** A name, perhaps after a picture, and with the time or the model. */
const named =
  /^[^\p{L}\p{N}]*(\p{L}[\p{L}\p{N}.-]*(?: (?:said|says))?)(?:\s*[([]([^()[\]]{1,60})[)\]]|\s+[-–—|·]\s+([^:]{1,60}))?\s*(:(?:\s.*)?)?[^\p{L}\p{N}]*$/u

/** The heading in a line; undefined for any other line. */
export function headingOf(line: string): Heading | undefined {
  const start = line.slice(0, longest)
  const [, level, title] = hash.exec(start) ?? []
  const strong = level === undefined ? bold.exec(start) : null
  const isLabel = strong && (strong[2] !== undefined || strong[1]?.trimEnd().endsWith(':') || strong[3] === '')
  const kind = level ?? (isLabel ? '**' : undefined)
  if (kind === undefined) return undefined
  const found = named.exec((title ?? strong?.[1] ?? '').replaceAll('**', ''))
  const label = found?.[1] ?? ''
  const role = roleOfLabel(label) ?? pairs.get(label.toLowerCase())
  if (role === undefined && kind === '**') return undefined
  const fact = found?.[2] ?? found?.[3]
  const isTime = fact !== undefined && /^\d{4}-\d\d-\d\d/.test(fact)
  const said = found?.[4]?.slice(1).trim() ?? ''
  const text = kind === '**' ? line.slice(start.length - (strong?.[3]?.length ?? 0)) : said
  return {
    kind,
    role,
    label: withoutSaid(label),
    isMarked: kind === '**' || found?.[4] !== undefined || label !== withoutSaid(label),
    text: kind !== '**' && said !== '' ? line.slice(line.indexOf(said)) : text,
    time: isTime ? fact : undefined,
    model: !isTime && role === 'assistant' ? fact : undefined,
  }
}

/** Headings that mean a role only beside each other. */
export const pairs: ReadonlyMap<string, Role> = new Map([
  ['prompt', 'user'],
  ['response', 'assistant'],
])
