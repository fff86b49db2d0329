import type { Label } from '../src/labels/label-file.js'
import type { LabelWord } from '../src/labels/words.js'
import { attempt, type Keeper } from './keeper.js'

/** The label of a transcript on this page. */
interface Kept {
  label: LabelWord
  at: string
  note?: string
}

export type Labels = ReturnType<typeof createLabels>

/** The labels that a person gives on a page. They are kept in the browser, and saved as lines of JSON. */
export function createLabels(
  id: string,
  stratumOf: (sha256: string) => Label['stratum'],
  { read, write }: Keeper,
  now: () => Date,
) {
  const key = `svc-labels-${id}`
  const person = 'svc-labels-by'
  const kept: Record<string, Kept> = attempt(() => JSON.parse(read(key) ?? '{}')) ?? {}
  const all = new Map(Object.entries(kept))
  const keep = () => write(key, JSON.stringify(Object.fromEntries(all)))
  return {
    of: (sha256: string): Kept | undefined => all.get(sha256),
    /** Label a transcript; the same label again takes it back. */
    toggle(sha256: string, label: LabelWord): void {
      const before = all.get(sha256)
      if (before?.label === label) all.delete(sha256)
      else all.set(sha256, { ...before, label, at: now().toISOString() })
      keep()
    },
    note(sha256: string, text: string): void {
      const before = all.get(sha256)
      if (!before) return
      const { note: _, ...rest } = before
      all.set(sha256, text === '' ? rest : { ...rest, note: text })
      keep()
    },
    count: (): number => all.size,
    by: (): string => read(person) ?? '',
    setBy: (name: string) => write(person, name),
    /** The content of `labels.jsonl`. */
    lines: (by: string): string =>
      [...all]
        .map(
          ([sha256, { label, at, note }]): Label => ({
            ...{ schema: 'svc/label@1', sha256, label, stratum: stratumOf(sha256), by, at },
            ...(note !== undefined && { note }),
          }),
        )
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
  }
}
