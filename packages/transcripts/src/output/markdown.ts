import { escapeCharacters, escapedMarkdown } from '../contract/index.js'
import { type Losses, OpenCalls } from '../model/index.js'
import type { Transcript } from '../transcript.js'
import { dropFacts, type Step } from './steps.js'

/** Headings of roles with texts below them. A line of a text that could be read as something else is escaped. */
export function markdownOf(transcript: Transcript, steps: readonly Step[], losses: Losses): string {
  dropFacts(transcript, ['name', 'modelName'], losses)
  const { name, modelName } = transcript
  const parts = [escapedMarkdown, `# ${escapeCharacters(name ?? `transcript ${transcript.place.record}`)}`]
  const open = new OpenCalls<string>()
  for (const [at, step] of steps.entries()) {
    const { createdAt: time } = step.turn
    if (step.kind === 'result') {
      const isJoined = open.takeNamed(step.name) === (step.hasCall ? step.id : undefined)
      if (!isJoined) losses.add('changed', 'call of a result', 'the format names the tool of a result, not its call')
      parts.push(heading('Result', step.name, time), textLines(step.output))
      continue
    }
    const { role, text, calls } = step
    const model = role === 'assistant' ? modelName : undefined
    if (role !== 'assistant') open.endRound()
    for (const { name, id } of calls) open.add(name, id)
    // Calls without a heading of their own belong to the message before them.
    const before = steps[at - 1]
    const isTitled = text !== '' || (before?.kind === 'message' && before.role === 'assistant')
    const title = `${role.charAt(0).toUpperCase()}${role.slice(1)}`
    if (isTitled) parts.push(heading(title, model, time), ...(text === '' ? [] : [textLines(text)]))
    for (const call of calls) parts.push(heading('Call', call.name, isTitled ? undefined : time, call.args))
  }
  return `${parts.join('\n\n')}\n`
}

function heading(title: string, name: string | undefined, time: string | undefined, args?: unknown): string {
  const inside = name === undefined ? '' : ` (${escapeCharacters(name, ')')})`
  const given = args === undefined ? '' : ` \`${escapeCharacters(JSON.stringify(args), '`')}\``
  return `## ${title}${inside}${time === undefined ? '' : `, ${time}`}${given}`
}

const fence = /^ {0,3}(?:`{3,}|~{3,})/

function textLines(text: string): string {
  const lines = text.split('\n')
  const isOpen = hasOpenFence(lines)
  let isFenced = false
  return lines
    .map((line, at) => {
      // Blank lines at the ends are between messages.
      if (line === '' && (at === 0 || at === lines.length - 1)) return '\\'
      if (isOpen) return escapedLine(line)
      const isFence = fence.test(line)
      if (isFence) isFenced = !isFenced
      return isFenced || isFence ? line : escapedLine(line)
    })
    .join('\n')
}

/** A backslash stays where a reader may find a heading, a fence, a list, a separator, a quote or JSON. */
const escapedLine = (line: string): string => {
  const safe = escapeCharacters(line)
  return /^\s*[^\s\p{L}\p{N}]|^\s*$/u.test(safe) && line !== '' ? `\\${safe}` : safe
}

/**
 * True if the fences of a text do not close each other one by one, or if what they hold cannot be written as it is: controls,
 * and lines of JSON, by which a file would be JSONL.
 */
function hasOpenFence(lines: readonly string[]): boolean {
  let opening: string | undefined
  for (const line of lines) {
    const [mark] = fence.exec(line) ?? []
    if (mark !== undefined || opening !== undefined) {
      if (line !== escapeCharacters(line) || /^\s*[[{].*[\]}]\s*$/.test(line) || line.length >= 256) return true
    }
    if (mark === undefined) continue
    const info = line.slice(mark.length).trim()
    if (opening === undefined ? info.includes('`') : info !== '' || mark !== opening) return true
    opening = opening === undefined ? mark : undefined
  }
  return opening !== undefined
}
