import { type Annotator, createServer, defaultAnnotators } from '@svc/reference-server/core'

/** Judges nothing, so that a request to it shows what the server costs and not what a judgement costs. */
const constant: Annotator = {
  id: 'constant',
  annotator_version: '1.0.0',
  taxonomy_version: '1.0.0',
  description: 'Says the same of every transcript.',
  annotate: () => ({
    summary: {
      title: 'A transcript',
      keywords: ['order', 'carrier'],
      summary: '2 turns: 1 of the user, 1 replies, 0 of tools.',
      quality_concerns: 'none',
      user_intent: 'unknown',
      domain: 'general',
    },
    outcome: 'strong',
    outcome_notes: 'No signal counts against this transcript.',
    signals: {},
  }),
}

/** The reference server as it is by default, with one annotator more. Prints its port. */
const { baseUrl } = await createServer({ annotators: [...defaultAnnotators, constant] }).listen({ port: 0 })
console.log(new URL(baseUrl).port)
