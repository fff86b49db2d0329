import { goals } from './goals.js'
import { heading, row } from './page.js'
import { compiled } from './programs.js'
import { load } from './server-load.js'
import { measured, startServer } from './server-process.js'

const marks = [10_000, 50_000, 100_000]
const kinds = {
  'GET a page of projects': { path: '/public/api/v1/projects?limit=20' },
  'POST an annotation': {
    path: '/v1/annotations',
    body: { transcript: [{ role: 'user', content: 'Where is my order?' }], annotator: 'structural' },
  },
  'refused: no key': { path: '/public/api/v1/projects', authorization: 'Bearer', expected: 401 },
  'refused: no such path': { path: '/public/api/v1/nowhere', expected: 404 },
  'refused: body of the wrong form': { path: '/public/api/v1/projects', body: { name: '' }, expected: 400 },
}

/** What 100 000 requests leave behind in the server's process; the journal is full before the first mark. */
export async function benchServerHeap(): Promise<void> {
  const program = await compiled('reference-server')
  const flags = await measured({ collect: true })
  heading('Heap of the server over 100 000 requests', 'growth from request 10 000 to 100 000; in use after the marks')
  for (const [name, kind] of Object.entries(kinds)) {
    const server = await startServer((port) => [program, `${port}`], '/health', flags)
    const used: number[] = []
    let sent = 0
    for (const mark of marks) {
      await load(server, kind, mark - sent)
      sent = mark
      used.push((await server.used()).heap)
    }
    await server.stop()
    const [first = Number.NaN, , last = Number.NaN] = used
    const note = used.map((bytes) => `${(bytes / 1e6).toFixed(2)} MB`).join(', ')
    row(name, (last - first) / 90_000, 'B a request', { goal: goals.heapGrowth, note })
  }
}
