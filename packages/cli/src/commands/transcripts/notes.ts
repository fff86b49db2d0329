import type { TranscriptDetail } from '@svc/client'
import { cell } from '../../output/index.js'

/** An annotation, and the turn that it concerns, from 1. */
export interface Note {
  name: string
  text: string
  turn?: number
}

/** The annotations of a transcript: those of the whole, and those of each turn. */
export function notesOf({ annotations, turns = [] }: TranscriptDetail): { whole: Note[]; of(turn: number): Note[] } {
  const notes = annotations === undefined || annotations === null ? [] : [...notesBelow(annotations, [])]
  const isOfTurn = ({ turn }: Note) => turn !== undefined && turn >= 1 && turn <= turns.length
  return {
    whole: notes.filter((note) => !isOfTurn(note)),
    of: (turn) => notes.filter((note) => note.turn === turn),
  }
}

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
