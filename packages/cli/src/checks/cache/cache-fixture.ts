import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Annotation } from '@svc/client'
import { type Io, realIo } from '../../io.js'
import { bodyDigest, cacheKey } from './cache-key.js'

/** An annotation with all that the interface declares, told apart by its title. */
export const annotationOf = (title: string, more: Partial<Annotation> = {}): Annotation => ({
  summary: {
    ...{ title, keywords: ['order', 'ü €'], summary: 'Asked where an order is.', quality_concerns: '' },
    ...{ user_intent: 'find an order', domain: 'shop' },
  },
  outcome: 'poor',
  outcome_notes: 'Never answered.',
  signals: {
    unresolved: { evidence: 'I "cannot"\n help\u2028 with that. \ud83d\ude80', turn: 2 },
    rude: { evidence: '' },
  },
  ...{ annotator: 'structural', annotator_version: '1.0.0', taxonomy_version: '7' },
  usage: { tokens_in: 20, tokens_out: 10, latency_ms: 5 },
  ...more,
})

/** The key of the first answer to a text. */
export const keyOf = (text: string): string =>
  cacheKey({
    ...{ baseUrl: 'https://svc.test', digest: bodyDigest(text), attempt: 1 },
    ...{ annotator_version: '1.0.0', taxonomy_version: '7' },
  })

/** A folder of its own for a test, the world seen from there, and what takes it away. */
export function temporaryWorld(): { folder: string; io: Io; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'svc-cache-'))
  const stopping = { signal: new AbortController().signal, onSignal: () => () => {} }
  return {
    folder,
    io: realIo(process, folder, stopping),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
