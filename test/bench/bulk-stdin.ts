import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { bin, settingsIn, talk, withFolder } from './bulk.js'
import { goals } from './goals.js'
import { heading, row } from './page.js'

const peak = fileURLToPath(new URL('./peak.cjs', import.meta.url))
const total = 1_000_000_000

/** A stream of a gigabyte: the memory of the process that uploads it, and how much was written when it began to send. */
export async function benchBulkStdin(): Promise<void> {
  // Of many small ones it is what is known of each that takes memory.
  for (const talkBytes of [50_000, 5_000]) await streamed(talkBytes)
}

const streamed = (talkBytes: number): Promise<void> =>
  withFolder(async (folder) => {
    let written = 0
    let begunAt: number | undefined
    let posts = 0
    const server = createServer((request, response) => {
      begunAt ??= written
      posts++
      const body = JSON.stringify({
        data: { id: `tr_${posts}`, name: 'A talk', turn_count: 4, processing_status: 'queued' },
      })
      request.resume().on('end', () => {
        response
          .writeHead(201, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
          .end(body)
      })
    })
    server.keepAliveTimeout = 120_000
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env
    const child = spawn(process.execPath, ['-r', peak, bin, 'upload', '-', '-j', '8'], {
      env: { ...env, ...settingsIn(folder, baseUrl) },
      stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
    })
    try {
      let kilobytes = ''
      child.stdio[3]?.on('data', (chunk) => {
        kilobytes += chunk
      })
      const closed = once(child, 'close')
      // A process that ends early is told of by its exit code.
      child.stdin?.on('error', () => {})
      let lines = 0
      for (; written < total; lines++) {
        const line = `${talk(`Talk ${lines}`, talkBytes)}\n`
        written += line.length
        if (!child.stdin?.write(line)) await Promise.race([once(child.stdin as never, 'drain'), closed])
        if (child.exitCode !== null) break
      }
      child.stdin?.end()
      const [code] = (await closed) as [number]
      if (code !== 0 || posts !== lines) throw new Error(`ended with ${code}, ${posts} of ${lines} arrived`)
      heading('1 GB of JSONL through `svc upload -`', `${lines} transcripts of ${talkBytes / 1_000} kB, 8 at a time`)
      row('peak resident memory', Number(kilobytes) / 1_000, 'MB', { goal: goals.bulkMemory })
      row('written when the first was sent', (100 * (begunAt ?? total)) / total, '%', { goal: goals.bulkBegins })
    } finally {
      child.kill()
      server.close()
    }
  })
