import {
  defineTextFormat,
  escapedMarkdown,
  type LineMeaning,
  type MarkdownMeaningOf,
  readerOfMarkdown,
  unescapeCharacters,
} from '../../contract/index.js'
import { parseBounded, wordMap } from '../../json/index.js'
import type { Role } from '../../model/index.js'
import { type Heading, headingOf, pairs } from './role-heading.js'

/** Chats with a model that are saved as Markdown. */
export const markdownChat = defineTextFormat({
  id: 'markdown-chat',
  title: 'Markdown chat',
  accepts: 'headings such as "## User" and "## Assistant", or "**User:**" and "**Assistant:**", before messages',
  detect: scoreOf,
  reader: (context) => readerOfMarkdown(context, lineMeanings(), { separator: '---' }),
})

/** The documentation of a product has headings such as `## User`, too, but has each once, and writes about users. */
function scoreOf(lines: readonly string[]): number {
  if (lines[0] === escapedMarkdown) return 0.99
  let isFenced = false
  const outside = lines.map((line) => {
    if (/^\s*(?:```|~~~)/.test(line)) isFenced = !isFenced
    return isFenced ? '' : line
  })
  const headings = outside.flatMap((line, at) => ({ ...headingOf(line), at })).filter(({ kind }) => kind !== undefined)
  const first = headings.find(({ role }) => role !== undefined)
  if (!first || first.role === 'tool') return 0
  const after = headings.filter(({ at }) => at >= first.at)
  const namesSpeaker = ({ kind, role, label = '' }: Partial<Heading>) =>
    kind === first.kind &&
    role !== undefined &&
    pairs.has(label.toLowerCase()) === pairs.has((first.label ?? '').toLowerCase())
  const speakers = after.filter(namesSpeaker)
  const firstUser = speakers.find(({ role }) => role === 'user')
  const firstAssistant = speakers.find(({ role }) => role === 'assistant')
  if (!firstUser || !firstAssistant) return 0
  const isAbove = ({ kind = '', role }: Partial<Heading>) =>
    role === undefined && (first.kind === '**' || kind.length < (first.kind ?? '').length)
  if (after.filter(isAbove).length * 2 >= speakers.length) return 0
  // A section that begins with a role, such as one for each version.
  const isSection = (each: Partial<Heading> & { at: number }, next: { at: number } | undefined) =>
    isAbove(each) && next !== undefined && outside.slice(each.at + 1, next.at).every((line) => line.trim() === '')
  if (after.some((each, index) => isSection(each, after[index + 1]))) return 0
  const before = outside
    .slice(0, first.at)
    .filter((line) => line.trim() !== '' && !/^(?:#|---|[\w ]{1,30}:|[>*_<-])/.test(line))
  if (before.length > 2) return 0
  const labels = new Set(speakers.map(({ label }) => label))
  if (speakers.every(({ isMarked }) => isMarked) || (speakers.length > 2 && labels.size < speakers.length)) return 0.9
  const prose = outside
    .slice(firstUser.at + 1, firstAssistant.at + 6)
    .filter((line) => !headingOf(line))
    .join(' ')
  const isSure =
    speakers.length === 2 && !pairs.has(firstUser.label?.toLowerCase() ?? '') && headings.length - after.length < 2
  return isSure && firstUser.at < firstAssistant.at && !/\b(?:users?|roles?|assistants?)\b/i.test(prose) ? 0.85 : 0
}

function lineMeanings(): MarkdownMeaningOf {
  let kind: string | undefined
  let isPair = false
  let hasUser = false
  let isTitled = false
  let isEscaped = false
  return (line, open, isFenced) => {
    if (isEscaped) return isFenced ? line : escapedMeaning(line)
    if (open === undefined && line === escapedMarkdown) {
      isEscaped = true
      return ''
    }
    const heading = isFenced ? undefined : headingOf(line)
    if (!heading) return undefined
    const { role, label, text, time, model } = heading
    if (role === undefined || (kind !== undefined && heading.kind !== kind)) {
      if (open !== undefined || isTitled || heading.kind === '**') return undefined
      isTitled = true
      return { conversation: { name: line.replace(/^#+\s+/, '').trim() }, isMore: true }
    }
    const isOfPair = pairs.has(label.toLowerCase())
    // Answers have headings such as "System" and "Response", too.
    if (kind !== undefined && (isOfPair !== isPair || (role === 'system' && hasUser))) return undefined
    if (kind === undefined) isPair = isOfPair
    kind = heading.kind
    hasUser ||= role === 'user'
    return { role, text, time, model }
  }
}

const roles = wordMap<Role>({ system: 'System', user: 'User', assistant: 'Assistant', tool: 'Call Result' })
const speaker = /^## (System|User|Assistant|Call|Result)(?: \(([^)]*)\))?(?:, ([^ ,]+))?(?: `([^`]*)`)?$/

/** The meaning of a line of Markdown that `toFormat` wrote, outside of fences. */
function escapedMeaning(line: string): LineMeaning {
  if (line === escapedMarkdown) return { conversation: {} }
  if (line.startsWith('# ')) return { conversation: { name: unescapeCharacters(line.slice(2)) }, isMore: true }
  const found = speaker.exec(line)
  if (!found) return line === '' ? undefined : unescapeCharacters(line.replace(/^\\/, ''))
  const [, heading = '', inside, time, args] = found
  const name = inside === undefined ? undefined : unescapeCharacters(inside)
  const start = { role: roles.get(heading), text: '', time, isExact: true }
  if (start.role !== 'tool') return { ...start, model: name }
  const shows = heading === 'Call' ? 'call' : 'result'
  return { ...start, tool: name ?? 'unknown', shows, args: args === undefined ? {} : argsIn(unescapeCharacters(args)) }
}

function argsIn(text: string): unknown {
  try {
    return parseBounded(text)
  } catch {
    // A file that somebody changed.
    return text
  }
}
