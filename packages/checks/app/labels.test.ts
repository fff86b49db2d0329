import { describe, expect, it } from 'vitest'
import { labelsIn } from '../src/labels/label-file.js'
import { keeperIn } from './keeper.js'
import { createLabels } from './labels.js'

const hashes = { a: 'a'.repeat(64), b: 'b'.repeat(64) }
const stratum = { name: 'failed' as const, of: 's', total: 40, drawn: 30 }
const now = () => new Date('2026-11-29T10:00:00Z')

/** A storage in memory. */
function keeper() {
  const kept = new Map<string, string>()
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => void kept.set(key, text),
  }
}

const labelsWith = (storage: ReturnType<typeof keeper> | undefined, id = 'page') =>
  createLabels(
    id,
    (sha256) => (sha256 === hashes.a ? stratum : null),
    keeperIn(() => storage as ReturnType<typeof keeper>),
    now,
  )

describe('the labels of a page', () => {
  it('are saved as lines that are read as labels', () => {
    const labels = labelsWith(keeper())
    labels.toggle(hashes.a, 'bad')
    labels.note(hashes.a, 'rude')
    labels.toggle(hashes.b, 'unsure')
    const at = '2026-11-29T10:00:00.000Z'
    expect(labelsIn(labels.lines('Jo'), 'labels.jsonl')).toEqual([
      { schema: 'svc/label@1', sha256: hashes.a, label: 'bad', stratum, by: 'Jo', at, note: 'rude' },
      { schema: 'svc/label@1', sha256: hashes.b, label: 'unsure', stratum: null, by: 'Jo', at },
    ])
  })

  it('begin with their schema, by which other commands know the file', () => {
    const labels = labelsWith(keeper())
    labels.toggle(hashes.a, 'good')
    expect(labels.lines('Jo')).toMatch(/^\{"schema":"svc\/label@1"/)
  })

  it('are there again when the page is opened again, and those of other pages are not', () => {
    const storage = keeper()
    const labels = labelsWith(storage)
    labels.toggle(hashes.a, 'good')
    labels.setBy('Jo')
    const again = labelsWith(storage)
    expect([again.of(hashes.a)?.label, again.count(), again.by()]).toEqual(['good', 1, 'Jo'])
    expect(labelsWith(storage, 'other').count()).toBe(0)
  })

  it('are taken back by the same label, and changed by another', () => {
    const labels = labelsWith(keeper())
    labels.toggle(hashes.a, 'good')
    labels.toggle(hashes.a, 'bad')
    expect(labels.of(hashes.a)?.label).toBe('bad')
    labels.toggle(hashes.a, 'bad')
    expect([labels.of(hashes.a), labels.count()]).toEqual([undefined, 0])
  })

  it('stay on a page without storage, and on one whose storage is full or damaged', () => {
    const full = {
      getItem: () => '{',
      setItem() {
        throw new Error('full')
      },
    }
    for (const storage of [undefined, full]) {
      const labels = labelsWith(storage)
      labels.toggle(hashes.a, 'good')
      expect(labels.count()).toBe(1)
    }
  })
})
