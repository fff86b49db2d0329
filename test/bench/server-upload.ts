import { defaultReadings } from '@svc/reference-server/core'
import { goals } from './goals.js'
import { heading, remark, row } from './page.js'
import { compiled } from './programs.js'
import { endlessUpload, type Refused } from './server-endless.js'
import { headers, measured, type ServerProcess, startServer } from './server-process.js'

const rounds = 5
const megabyte = 1e6
const { bodyBytes, annotationBodyBytes } = defaultReadings
const workspacePath = '/public/api/v1/projects/hp-00000000-0000-4000-a000-000000000000/transcripts'

/** Bodies over the limit: how soon they are refused, and what they cost the server's memory. */
export async function benchServerUpload(): Promise<void> {
  const flags = await measured()
  const program = await compiled('reference-server')
  const surfaces = [
    { name: 'workspace', path: workspacePath, limit: bodyBytes },
    { name: 'annotation', path: '/v1/annotations', limit: annotationBodyBytes },
  ]
  for (const { name, path, limit } of surfaces) {
    const cases: Record<string, (server: ServerProcess) => Promise<Refused>> = {
      'endless, until it sees the 413': ({ origin }) => endlessUpload(origin, path, limit, {}),
      'endless, and it goes on': ({ origin }) => endlessUpload(origin, path, limit, { deaf: true }),
      'Content-Length of 1 TB': ({ origin }) => endlessUpload(origin, path, limit, { declared: 1e12 }),
    }
    for (const [kind, upload] of Object.entries(cases)) {
      const refused: Refused[] = []
      const grown: number[] = []
      for (let round = 0; round < rounds; round++) {
        const server = await startServer((port) => [program, `${port}`], '/health', flags)
        try {
          const before = await server.used()
          refused.push(await upload(server))
          grown.push((await server.used()).peak - before.rss)
        } finally {
          await server.stop()
        }
      }
      report(`${name} (${limit / 2 ** 20} MiB), ${kind}`, refused, Math.max(...grown))
    }
  }
  await benchAccepted(program, flags)
}

function report(name: string, refused: Refused[], grown: number): void {
  heading(
    `A body over the limit: ${name}`,
    `the worst of ${rounds} processes; from the byte that crosses the limit; the most memory that it ever had`,
  )
  const most = (key: keyof Refused) => Math.max(...refused.map((one) => one[key]))
  const wrong = refused.filter(({ status }) => status !== 413)
  if (wrong.length > 0) remark(`not refused: answered ${wrong.map(({ status }) => status).join(', ')}`)
  const note = `closed ${most('closedIn').toFixed(0)} ms later, ${(most('sent') / megabyte).toFixed(0)} MB sent`
  row('413 after', most('answeredIn'), 'ms', { goal: goals.refusedIn, note })
  row('memory', grown / megabyte, 'MB', { goal: goals.refusedMemory })
}

/** What a body just under the limit costs: its chunks, the whole, its text and its value. */
async function benchAccepted(program: string, flags: string[]): Promise<void> {
  heading('A body under the limit, read whole', 'an annotation of an annotator that there is not')
  for (const [size, limit] of Object.entries({ '4 MiB': 4 * 2 ** 20, '14 MiB': 14 * 2 ** 20 })) {
    const server = await startServer((port) => [program, `${port}`], '/health', flags)
    const content = 'a b '.repeat(250)
    const transcript = Array.from({ length: limit / 1_032 }, () => ({ role: 'user', content }))
    const before = await server.used()
    const startedAt = performance.now()
    const response = await fetch(`${server.origin}/v1/annotations`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ transcript, annotator: 'none' }),
    })
    await response.text()
    const note = `answered ${response.status} in ${(performance.now() - startedAt).toFixed(0)} ms`
    const after = await server.used()
    await server.stop()
    row(`memory for ${size}`, (after.peak - before.rss) / megabyte, 'MB', { note })
  }
}
