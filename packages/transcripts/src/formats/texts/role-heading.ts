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
const hash = /^#{1,6}(?=\s)/
const bold = /^\*\*([^*]+)\*\*(\s?:)?/

/** The heading in a line; undefined for any other line. */
export function headingOf(line: string): Heading | undefined {
  const start = line.slice(0, longest)
  const [level] = hash.exec(start) ?? []
  const strong = level === undefined ? bold.exec(start) : null
  const after = start.slice(strong?.[0].length ?? 0).trimStart()
  const isLabel = strong && (strong[2] !== undefined || strong[1]?.trimEnd().endsWith(':') || after === '')
  const kind = level ?? (isLabel ? '**' : undefined)
  if (kind === undefined) return undefined
  const found = nameIn(level === undefined ? (strong?.[1] ?? '') : start.slice(level.length))
  const label = found?.label ?? ''
  const role = roleOfLabel(label) ?? pairs.get(label.toLowerCase())
  if (role === undefined && kind === '**') return undefined
  const fact = found?.fact
  const isTime = fact !== undefined && /^\d{4}-\d\d-\d\d/.test(fact)
  const said = found?.said?.slice(1).trim() ?? ''
  const text = kind === '**' ? line.slice(start.length - after.length) : said
  return {
    kind,
    role,
    label: withoutSaid(label),
    isMarked: kind === '**' || found?.said !== undefined || label !== withoutSaid(label),
    text: kind !== '**' && said !== '' ? line.slice(line.indexOf(said)) : text,
    time: isTime ? fact : undefined,
    model: !isTime && role === 'assistant' ? fact : undefined,
  }
}

/** The name in a heading, perhaps after a picture, with the time or the model, and with what follows its colon. */
function nameIn(heading: string): { label: string; fact?: string; said?: string } | undefined {
  const text = heading.replaceAll('**', '').replace(/^[^\p{L}\p{N}]+/u, '')
  const [label] = /^\p{L}[\p{L}\p{N}.-]*(?: (?:said|says)\b)?/u.exec(text) ?? []
  if (label === undefined) return undefined
  const behind = text.slice(label.length)
  const [whole = '', inside, beside] = /^\s?[([]([^()[\]]{1,60})[)\]]|^\s[-–—|·]\s([^:]{1,60})/.exec(behind) ?? []
  const rest = behind.slice(whole.length).trim()
  const fact = (inside ?? beside)?.trim()
  const isSaid = /^:(?:\s|$)/.test(rest)
  if (!isSaid && /[\p{L}\p{N}]/u.test(rest)) return undefined
  return { label, ...(fact !== undefined && { fact }), ...(isSaid && { said: rest }) }
}

/** Headings that mean a role only beside each other. */
export const pairs: ReadonlyMap<string, Role> = new Map([
  ['prompt', 'user'],
  ['response', 'assistant'],
])
