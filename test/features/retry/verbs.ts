import type { CallOptions } from '@svc/client'
import type { Lab } from './lab.js'

const words = (text: string) => [{ role: 'user' as const, content: text }]

/** The text to send, and the id to read. */
interface Given {
  text: string
  id: string
}

/** One verb of each kind, two of the writes, ready to be called. */
export const verbs = {
  'projects.get': ({ svc }, options, { id }) => svc.projects.get(id, options),
  'annotations.create': ({ svc }, options, { text }) =>
    svc.annotations.create({ annotator: 'structural', transcript: words(text) }, options),
  'projects.create': ({ svc }, options, { text }) => svc.projects.create({ name: text }, options),
  'transcripts.upload': ({ svc, projectId }, options, { text }) =>
    svc.transcripts.upload(projectId, { name: 'A conversation', turns: words(text) }, options),
  'legacy.createTranscript': ({ svc }, options) => svc.legacy.createTranscript({}, options),
  'batches.create': ({ svc }, options) => svc.batches.create({}, options),
} satisfies Record<string, (lab: Lab, options: CallOptions, given: Given) => Promise<unknown>>

export type Verb = keyof typeof verbs
