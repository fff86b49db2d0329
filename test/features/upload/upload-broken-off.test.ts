import { expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'
import { createSession } from '../../helpers/session.js'

const chats = Array.from({ length: 3 }, (_, n) => ({ messages: [{ role: 'user', content: `hi ${n}` }] }))

/** A service that stores the first two uploads without an answer, and whose lists fail until the client has given up. */
function troubled() {
  const session = createSession()
  let posts = 0
  // Two searches of two lists, three attempts each, for each upload.
  let failing = 24
  const fetch = async (request: Request) => {
    if (request.method === 'GET' && failing-- > 0) return new Response('{}', { status: 503 })
    const response = await session.fetch(request)
    return request.method === 'POST' && posts++ < 2 ? new Response(null, { status: 504 }) : response
  }
  return createShell({ ...session, fetch })
}

it.each(['conversations.json', '-'])(
  'exits 75 when an unknown outcome stopped %s and was reconciled later, and goes on',
  async (path) => {
    const { svc, clock, server, project } = troubled()
    const argv = ['upload', path, '-j', '1', '--json']
    const options = {
      files: { 'conversations.json': chats },
      stdin: chats.map((chat) => JSON.stringify(chat)).join('\n'),
    }
    const { code, lines, err } = await clock.until(svc(argv, options))
    expect([code, lines().at(-1)]).toMatchObject([75, { uploaded: 2, already_uploaded: 0, unknown: 0, not_sent: 1 }])
    expect(err).toContain('to continue: svc upload')
    expect(await clock.until(svc(argv, options))).toMatchObject({ code: 0 })
    expect(server.world.transcripts(project)).toHaveLength(3)
  },
)
