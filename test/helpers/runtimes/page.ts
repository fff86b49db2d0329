import { EventEmitter, once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** An origin with one page, whose script posts what it found. */
export interface Page {
  origin: string
  /** The body that the page posts. */
  reported: Promise<string>
  close(): void
}

/** Serves the program `main`, bundled with the sources, as a page; `given` is what it finds under `/given`. */
export async function openPage(main: URL, given: unknown = null): Promise<Page> {
  const posted = new EventEmitter()
  const html = '<!doctype html><script type="module" src="/main.js"></script>'
  const files: Record<string, [type: string, content: string]> = {
    '/': ['text/html; charset=utf-8', html],
    '/main.js': ['text/javascript; charset=utf-8', await bundled(main)],
    '/mockServiceWorker.js': ['text/javascript', readFileSync(mockServiceWorker, 'utf8')],
    '/given': ['application/json', JSON.stringify(given)],
  }
  const server = createServer((request, response) => {
    if (request.url === '/report') {
      void text(request).then((body) => posted.emit('report', body))
      return void response.end()
    }
    const [type, content] = files[request.url ?? ''] ?? ['text/plain', '']
    response.writeHead(content ? 200 : 404, { 'content-type': type }).end(content)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    reported: once(posted, 'report').then(([body]) => body),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const mockServiceWorker = createRequire(import.meta.url).resolve('msw/mockServiceWorker.js')

async function bundled(main: URL): Promise<string> {
  const entry = fileURLToPath(main)
  const common = { bundle: true, write: false, format: 'esm', platform: 'browser', target: 'es2022' } as const
  const { outputFiles } = await build({ ...common, entryPoints: [entry], logLevel: 'error' })
  return outputFiles[0]?.text ?? ''
}
