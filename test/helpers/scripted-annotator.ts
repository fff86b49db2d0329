import type { CliOptions } from './run-cli.js'
import { createShell } from './run-cli.js'
import { createSession } from './session.js'

/** A conversation that asks for its annotation: an outcome and signals, such as `poor loop`, or a status, such as `503`. */
export const conversation = (words: string) => [
  { role: 'user', content: words },
  { role: 'assistant', content: 'Well.' },
]

/** The annotators of the registry, and one that the service knows, but the registry does not list. */
const listed = ['structural', 'patterns']
export const unlisted = 'structural-2'

/** A shell whose service answers as each conversation asks. With `poor|strong` the second request gets another answer. */
export function scriptedShell(versions = { annotator_version: '1.0.0', taxonomy_version: '1' }) {
  const session = createSession()
  const asked: string[] = []
  const bodies: Record<string, unknown>[] = []
  const fetch = async (request: Request): Promise<Response> => {
    if (request.url.endsWith('/v1/annotators')) {
      const annotators = listed.map((id) => ({
        id,
        ...versions,
        description: 'answers as it is asked',
      }))
      return Response.json({ annotators })
    }
    if (!request.url.endsWith('/v1/annotations')) return session.fetch(request)
    const body = (await request.json()) as { transcript: { content: string }[]; annotator: string }
    if (![...listed, unlisted].includes(body.annotator))
      return Response.json({ error: 'not_found', detail: 'No such annotator.' }, { status: 404 })
    const content = body.transcript[0]?.content ?? ''
    const turns = content.split('|')
    const wanted = turns[Math.min(asked.filter((each) => each === content).length, turns.length - 1)] ?? ''
    asked.push(content)
    bodies.push(body)
    if (/^\d+$/.test(wanted))
      return Response.json({ error: 'scripted', detail: 'as it was asked' }, { status: Number(wanted) })
    const [outcome, ...fired] = wanted.split(' ')
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
    /** The contents that were annotated, and the bodies of the requests. */
    asked,
    bodies,
    versions,
    /** Checks conversations, each in its own file: `0.json`, `1.json`, … */
    check(words: readonly string[], flags: readonly string[] = [], options: CliOptions = {}) {
      const files = Object.fromEntries(words.map((each, at) => [`conversations/${at}.json`, conversation(each)]))
      const argv = ['check', 'conversations', '--annotator', 'structural', ...flags]
      return shell.clock.until(shell.svc(argv, { ...options, files: { ...files, ...options.files } }))
    },
  }
}
