import { createServer, defaultAnnotators, patterns } from '@svc/reference-server/core'

/** The reference server with its defaults and an annotator that does no work. Prints its port. */
const judgement = {
  summary: {
    title: 'A transcript',
    keywords: ['order', 'carrier'],
    summary: '2 turns: 1 of the user, 1 replies, 0 of tools.',
    quality_concerns: 'none',
    user_intent: 'unknown',
    domain: 'general',
  },
  outcome: 'strong' as const,
  outcome_notes: 'No signal counts against this transcript.',
  signals: {},
}
const constant = { ...patterns, id: 'constant', annotate: () => judgement }

const { port } = await createServer({ annotators: [...defaultAnnotators, constant] }).listen()
console.log(port)
