import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { goals } from './goals.js'
import { only, type Samples, sideBySide } from './measure.js'
import { compare, heading } from './page.js'
import { compiled, serve, spend } from './programs.js'

export const bin = fileURLToPath(new URL('../../packages/cli/bin/svc.js', import.meta.url))
const count = 5_000
const width = 8
const rawPool = 'undici Pool'
const upload = 'svc upload'

/** A talk of about so many bytes, as one line of JSON. */
export function talk(name: string, bytes: number): string {
  const words = 'the order has not arrived yet. '.repeat(Math.ceil(bytes / 4 / 31))
  const turns = [0, 1, 2, 3].map((at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: `${name}, ${at}: ${words}`.slice(0, bytes / 4 - 30),
  }))
  return JSON.stringify({ name, turns })
}

/** What a run of the command knows: a service, a project, and a folder of its own in place of the user's. */
export const settingsIn = (folder: string, baseUrl: string, state = 'state'): NodeJS.ProcessEnv => ({
  SVC_API_KEY: 'bench',
  SVC_BASE_URL: baseUrl,
  SVC_PUBLIC_BASE_URL: baseUrl,
  SVC_PROJECT: 'hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10',
  SVC_CONFIG: join(folder, 'config.json'),
  SVC_STATE_DIR: join(folder, state),
  SVC_CACHE_DIR: join(folder, 'cache'),
})

/** Gives a folder to work in, which is gone afterwards. */
export async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  try {
    await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Bulk upload with its ledger beside a pool that only sends the same lines; whole processes. */
export const benchBulk = (): Promise<void> =>
  withFolder(async (folder) => {
    const file = join(folder, 'talks.jsonl')
    writeFileSync(file, Array.from({ length: count }, (_, at) => `${talk(`Talk ${at}`, 5_000)}\n`).join(''))
    const server = await serve('bulk-server')
    const pool = await compiled('pool')
    try {
      for (const [delay, rounds, goal] of [
        [20, 3, goals.bulkSlow],
        [0, 9, goals.bulkFast],
      ] as const) {
        const baseUrl = `${server.baseUrl}/${delay}`
        let run = 0
        const measured = await sideBySide(
          {
            [rawPool]: () => spend([pool, baseUrl, file, String(width)]),
            // Each run with a ledger of its own, for what it has is not sent again.
            [upload]: () =>
              spend([bin, 'upload', file, '-j', String(width)], settingsIn(folder, baseUrl, `s${delay}-${run++}`)),
          },
          rounds,
        )
        const told = Number(await (await fetch(`${server.baseUrl}/told`)).text())
        if (told !== 2 * count * (rounds + 1)) throw new Error(`${told} uploads arrived`)
        heading(
          `Bulk upload, answered after ${delay} ms`,
          `${count} transcripts of 5 kB in one JSONL, ${width} at a time, whole processes, ${rounds} rounds`,
        )
        const rates = Object.fromEntries(
          Object.entries(only(measured, 'wall')).map(([name, walls]) => [
            name,
            walls.map((ms) => (count * 1_000) / ms),
          ]),
        ) as Samples
        compare(
          rates,
          { unit: 'a second', over: [rawPool], goals: { [upload]: { over: rawPool, goal } } },
          only(measured, 'cpu'),
        )
      }
    } finally {
      server.stop()
    }
  })
