import { type Loss, parse, type Transcript, TranscriptFileError } from '@svc/transcripts'

/** The steps to a value: keys and indices; `JSON` goes into the text of a JSON. */
export type Path = readonly (string | number)[]

/** Every text of a value and the steps to it; also those inside the text of a JSON. */
export function textsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value === 'string') {
    const inner = jsonIn(value)
    return inner === undefined ? [path] : textsIn(inner, [...path, 'JSON'])
  }
  if (typeof value !== 'object' || value === null) return []
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return entries.flatMap(([key, each]) => textsIn(each, [...path, key]))
}

/** The steps to every object of a value. */
export function objectsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value === 'string') {
    const inner = jsonIn(value)
    return inner === undefined ? [] : objectsIn(inner, [...path, 'JSON'])
  }
  if (typeof value !== 'object' || value === null) return []
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  const below = entries.flatMap(([key, each]) => objectsIn(each, [...path, key]))
  return Array.isArray(value) ? below : [path, ...below]
}

function jsonIn(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A copy of a value in which what stands at some steps is another. */
export function changed(value: unknown, path: Path, change: (old: unknown) => unknown): unknown {
  const [step, ...rest] = path
  if (step === undefined) return change(value)
  if (step === 'JSON' && typeof value === 'string') return JSON.stringify(changed(jsonIn(value), rest, change))
  if (Array.isArray(value)) return value.map((each, index) => (index === step ? changed(each, rest, change) : each))
  const object = value as Record<string, unknown>
  return { ...object, [step]: changed(object[step], rest, change) }
}

/** What became of a text in a file: it is kept in a transcript, a loss names it, the file was refused; or nothing. */
export type Outcome = 'kept' | 'lost' | 'refused' | 'vanished'

export function outcomeOf(
  marker: string,
  path: Path,
  file: string,
  names: (loss: Loss, path: Path) => boolean,
): Outcome {
  const found = read(file)
  if (found === undefined) return 'refused'
  if (found.some((transcript) => isKept(marker, transcript))) return 'kept'
  return found.some(({ losses }) => losses.some((loss) => names(loss, path))) ? 'lost' : 'vanished'
}

function read(file: string): Transcript[] | undefined {
  try {
    return parse(file, { thinking: true, branches: true, subagents: true }).transcripts
  } catch (error) {
    if (error instanceof TranscriptFileError) return undefined
    throw error
  }
}

function isKept(marker: string, { losses: _, place: __, ...transcript }: Transcript): boolean {
  return JSON.stringify(transcript).includes(marker)
}
