import type { Label } from '../src/labels/label-file.js'
import type { LabelWord } from '../src/labels/words.js'

/** Where labels are kept: a page from a file or in a sandbox may have no storage. */
export type Keeper = Pick<Storage, 'getItem' | 'setItem'>

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
  { keeper, now }: { keeper: Keeper | undefined; now(): Date },
) {
  const key = `svc-labels-${id}`
  const person = 'svc-labels-by'
  const all = new Map(Object.entries(keptIn(read(keeper, key))))
  const keep = () => write(keeper, key, JSON.stringify(Object.fromEntries(all)))
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
    by: (): string => read(keeper, person) ?? '',
    setBy: (name: string): void => write(keeper, person, name),
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

function keptIn(text: string | undefined): Record<string, Kept> {
  try {
    return JSON.parse(text ?? '{}')
  } catch {
    return {}
  }
}

function read(keeper: Keeper | undefined, key: string): string | undefined {
  try {
    return keeper?.getItem(key) ?? undefined
  } catch {
    return undefined
  }
}

function write(keeper: Keeper | undefined, key: string, text: string): void {
  try {
    keeper?.setItem(key, text)
  } catch {}
}
