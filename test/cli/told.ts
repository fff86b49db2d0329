import type { CliOptions } from '../run-cli.js'
import { createShell } from '../run-cli.js'
import { createSession } from '../session.js'

/** A talk that asks for its annotation: an outcome and the signals that fire, as in `poor loop`; `503` is refused so. */
export const talk = (words: string) => [
  { role: 'user', content: words },
  { role: 'assistant', content: 'Well.' },
]

/** A shell whose service does what talks ask for. With `poor|strong` the answers change from one request to the next. */
export function toldShell(versions = { annotator_version: '1.0.0', taxonomy_version: '1' }) {
  const session = createSession()
  const asked: string[] = []
  const bodies: Record<string, unknown>[] = []
  const fetch = async (request: Request): Promise<Response> => {
    if (request.url.endsWith('/v1/annotators')) {
      const annotators = ['structural', 'patterns'].map((id) => ({
        id,
        ...versions,
        description: 'does what it is told',
      }))
      return Response.json({ annotators })
    }
    if (!request.url.endsWith('/v1/annotations')) return session.fetch(request)
    const body = (await request.json()) as { transcript: { content: string }[]; annotator: string }
    const content = body.transcript[0]?.content ?? ''
    const turns = content.split('|')
    const told = turns[Math.min(asked.filter((each) => each === content).length, turns.length - 1)] ?? ''
    asked.push(content)
    bodies.push(body)
    if (/^\d+$/.test(told)) return Response.json({ error: 'told', detail: 'as it was told' }, { status: Number(told) })
    const [outcome, ...fired] = told.split(' ')
    const summary = { title: 't', keywords: [], summary: '', quality_concerns: '', user_intent: '', domain: '' }
    const signals = Object.fromEntries(fired.map((key) => [key, { evidence: 'Well.', turn: 2 }]))
    const usage = { tokens_in: 3, tokens_out: 1, latency_ms: 2 }
    return Response.json({
      summary,
      outcome,
      outcome_notes: '',
      signals,
      annotator: body.annotator,
      ...versions,
      usage,
    })
  }
  const shell = createShell({ ...session, fetch })
  return {
    ...shell,
    /** The talks that were asked about, and the bodies of the requests. */
    asked,
    bodies,
    versions,
    /** Checks talks, each in a file of its own named by its place: `0.json`, … */
    check(words: readonly string[], flags: readonly string[] = [], options: CliOptions = {}) {
      const files = Object.fromEntries(words.map((each, at) => [`talks/${at}.json`, talk(each)]))
      const argv = ['check', 'talks', '--annotator', 'structural', ...flags]
      return shell.clock.until(shell.svc(argv, { ...options, files: { ...files, ...options.files } }))
    },
  }
}
