import type { TranscriptDetail } from '@svc/client'
import { refuseMalformed, wrongItems } from '../../errors/index.js'
import { cell, documentOf, printJson, printPaged } from '../../output/index.js'
import { inert, inertLines, type Style } from '../../terminal/index.js'
import type { Action } from '../action.js'

export const showTranscript: Action<[string], object> = async (context, [id]) => {
  const transcript = await (await context.client()).transcripts.get(id, context.call())
  if (context.flags.json) printJson(context, documentOf('svc/transcript@1', transcript))
  else {
    const { turns } = transcript
    if (turns !== undefined) refuseMalformed(wrongItems(turns, '/data/turns', { role: 'a text', content: 'a text' }))
    await printPaged(context, [...linesOf(transcript, context.style.out)].join('\n'))
  }
  return undefined
}

const roleFormats: Partial<Record<string, Parameters<Style>[0]>> = {
  user: 'cyan',
  assistant: 'green',
  human_agent: 'magenta',
  tool: 'yellow',
}

/** The transcript for a person: its name, what concerns all of it, and each turn with its annotations below it. */
function* linesOf(transcript: TranscriptDetail, style: Style): Generator<string> {
  const { id, name, turns = [], processing_status, created_at, annotations } = transcript
  yield style('bold', inert(cell(name)))
  yield style('dim', inert([id, processing_status, created_at].map(cell).filter(Boolean).join(' · ')))
  const notes = notesIn(annotations)
  const isOfTurn = ({ turn }: Note) => turn !== undefined && turn >= 1 && turn <= turns.length
  for (const note of notes) if (!isOfTurn(note)) yield noteLine(note, style)
  for (const [i, { role, content }] of turns.entries()) {
    yield ''
    yield style(roleFormats[role] ?? 'dim', `${i + 1} ${inert(role)}`)
    // Indented, so that no line of the content looks like a line of svc.
    yield inertLines(content).replace(/^/gm, '  ')
    for (const note of notes) if (note.turn === i + 1) yield noteLine(note, style)
  }
  yield ''
}

/** An annotation, and the turn that it concerns, from 1. */
interface Note {
  name: string
  text: string
  turn?: number
}

const noteLine = ({ name, text }: Note, style: Style): string =>
  `${style('yellow', `▸ ${inert(name)}`)} ${inert(text)}`.trimEnd()

const notesIn = (annotations: unknown): Note[] =>
  annotations === undefined || annotations === null ? [] : [...notesBelow(annotations, [])]

/** The annotations have no documented shape: an object with a `turn` concerns that turn, or all with null. */
function* notesBelow(value: unknown, path: readonly string[]): Generator<Note> {
  const name = path.join('.')
  if (typeof value !== 'object' || value === null) yield { name, text: cell(value) }
  else if ('turn' in value) {
    const { turn, ...rest } = value
    const text = Object.values(rest).map(cell).join(' · ')
    yield { name, text, ...(typeof turn === 'number' && { turn }) }
  } else if (Array.isArray(value) && value.every((each) => typeof each !== 'object')) {
    yield { name, text: value.map(cell).join(', ') }
  } else for (const [key, each] of Object.entries(value)) yield* notesBelow(each, [...path, key])
}
