import { OutputEnded } from '@svc/cli'
import { describe, expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'

const total = 450
const chats = Array.from({ length: 40 }, (_, n) => ({ messages: [{ role: 'user', content: `chat ${n}` }] }))
const files = { 'chats.json': chats }

/** Runs a command whose output cannot be written any more after the first write. */
async function withOutputThatEnds(argv: string[], code: 'EPIPE' | 'ENOSPC') {
  const shell = createShell()
  const { server, clock, svc } = shell
  const project = server.world.project(shell.project) ?? expect.unreachable()
  for (let i = 0; i < total; i++)
    server.world.createTranscript(project, { name: `${i}`, turns: [{ role: 'user', content: `${i}` }] })
  const end = new AbortController()
  const stdout = {
    isTTY: false,
    columns: 80,
    ended: end.signal,
    write: () => end.abort(new OutputEnded(Object.assign(new Error(code), { code }))),
  }
  const before = server.requests.length
  const result = await clock.until(svc(argv, { files, io: { stdout } }))
  return { ...result, requests: server.requests.length - before, shell }
}

describe('svc whose standard output cannot be written any more', () => {
  it.each([
    ['EPIPE', 0],
    ['ENOSPC', 1],
  ] as const)('a command that only reads stops asking after %s, and says so at most once', async (reason, code) => {
    // The stream itself reports what is not the end of its reader.
    const stopped = reason === 'EPIPE' ? 'Stopped: nothing reads the output any more.\n' : ''
    for (const [argv, requests, err] of [
      [['transcripts', 'list', '--all'], 1, stopped],
      [['transcripts', 'list', '--all', '--json'], 1, stopped],
      [
        ['annotate', 'chats.json', '--annotator', 'patterns', '-j', '1'],
        3,
        '1 transcript annotated, 0 failed, 39 not sent\n',
      ],
    ] as const) {
      const ended = await withOutputThatEnds([...argv], reason)
      expect([argv, ended.code, ended.err]).toEqual([argv, code, err])
      expect(ended.requests).toBeLessThanOrEqual(requests)
    }
  })

  it('svc upload goes on when its standard output cannot be written any more', async () => {
    const { code, shell } = await withOutputThatEnds(['upload', 'chats.json', '--json'], 'EPIPE')
    expect([code, shell.server.world.transcripts(shell.project).length]).toEqual([0, total + chats.length])
  })
})
