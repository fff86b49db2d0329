import type { TranscriptDetail } from '@svc/client'
import { count, cut, kindOf } from '@svc/text'
import { MalformedAnswer } from '../../errors.js'
import { cell, transcriptFields } from '../../output/index.js'

export interface ShownTurn {
  role: string
  content: string
  /** The other fields, and a content that is no text, as text. */
  more: readonly (readonly [name: string, value: string])[]
}

const notShown = 'not shown'

/** The characters of an unknown value that are shown to a person. */
export const maxValue = 2_000

const namedFields = new Set([...transcriptFields, 'turns', 'annotations'])

/**
 * A transcript as the service shows it: its turns, a notice if some are missing, and the fields that the interface does not name.
 *
 * @throws {MalformedAnswer} if the turns are no list
 */
export function viewOf(transcript: TranscriptDetail) {
  const { turns, turn_count } = transcript as { turns?: unknown; turn_count?: unknown }
  const shown = turns ?? []
  if (!Array.isArray(shown)) throw new MalformedAnswer([`/data/turns expected a list, found ${kindOf(shown)}`])
  const others = Object.entries(transcript).filter(([name]) => !namedFields.has(name))
  return { turns: shown.map(turnOf), notice: noticeOf(shown.length, turn_count), more: textsOf(others) }
}

function noticeOf(shown: number, counted: unknown): string | undefined {
  const isCounted = typeof counted === 'number'
  if (isCounted && shown < counted)
    return shown > 0
      ? `the service shows ${shown} of ${count(counted, 'turn')}`
      : `the service shows no turns (${counted} counted)`
  return shown === 0 && !isCounted ? 'the service shows no turns' : undefined
}

function turnOf(turn: unknown): ShownTurn {
  const isRecord = typeof turn === 'object' && turn !== null && !Array.isArray(turn)
  const { role, content, ...others } = (isRecord ? turn : { content: turn }) as Record<string, unknown>
  const isText = typeof content === 'string'
  return {
    role: typeof role === 'string' ? role : notShown,
    content: isText ? content : notShown,
    more: textsOf(Object.entries(isText ? others : { content, ...others })),
  }
}

const textsOf = (fields: readonly (readonly [name: string, value: unknown])[]): ShownTurn['more'] =>
  fields.map(([name, value]) => [name, cell(value)] as const).filter(([, text]) => !['', '{}', '[]'].includes(text))

export const briefly = (value: string): string => cut(value, maxValue)
