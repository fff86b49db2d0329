import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { openLedger } from '../../../packages/bulk/src/ledger/index.js'

const folder = mkdtempSync(join(tmpdir(), 'svc-killed-'))
afterAll(() => rmSync(folder, { recursive: true }))

const target = { baseUrl: 'https://svc.test', project: 'hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10' }
const script = fileURLToPath(new URL('ledger-writer.ts', import.meta.url))

/** A process that writes the ledger, where no file may be larger than so many blocks of 512 bytes; `until` resolves with what it has said when that matches. */
function writer(seed: string, into = folder, blocks = 'unlimited') {
  const node = [process.execPath, '--import', 'tsx', script, into, target.baseUrl, target.project, seed]
  const child: ChildProcess = spawn('sh', ['-c', `ulimit -f ${blocks}; exec "$@"`, 'sh', ...node], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...(blocks !== 'unlimited' && { TSX_DISABLE_CACHE: '1' }) },
  })
  let said = ''
  let look = () => {}
  child.stdout?.on('data', (chunk) => {
    said += chunk
    look()
  })
  const closed = new Promise<void>((resolve) => child.on('close', () => resolve()))
  const until = (pattern: RegExp) =>
    new Promise<void>((resolve, reject) => {
      look = () => {
        if (pattern.test(said)) resolve()
      }
      look()
      void closed.then(() => reject(new Error(`it ended, having said: ${said.slice(0, 200)}`)))
    })
  const kill = async () => {
    child.kill('SIGKILL')
    await closed
    return said
  }
  return { until, kill, closed: closed.then(() => said) }
}

describe('a ledger after its writer was killed', () => {
  it('knows all that was said to be there, and lets the next writer go on', async () => {
    const known = { intent: new Set<string>(), done: new Set<string>() }
    for (const [round, writes] of [5, 150].entries()) {
      const { until, kill } = writer(`${round}`)
      await until(new RegExp(`^open\n(intent .*\n|done .*\n){${writes},}`))
      // The last line may have been cut off in the pipe.
      const lines = (await kill()).split('\n').slice(0, -1)
      for (const line of lines) {
        const [event, key = ''] = line.split(' ')
        if (event === 'intent' || event === 'done') known[event].add(key)
      }
      const ledger = await openLedger({ folder, target })
      const states = [...known.done].map((key) => ledger.item(key)?.state)
      expect([...new Set(states)]).toEqual(['done'])
      expect([...known.intent].filter((key) => !ledger.item(key))).toEqual([])
      expect(ledger.unresolved().length).toBeLessThanOrEqual(4 * (round + 1))
      await ledger.release()
    }
  })

  it('a ledger after its writer was killed has one writer at a time, whom the others report', async () => {
    const first = writer('first')
    await first.until(/^open\n/)
    const second = writer('second')
    await second.until(/^refused ledger_locked Another process writes this ledger/)
    await first.kill()
    const third = writer('third')
    await third.until(/^open\n/)
    await third.kill()
  })
})

describe('a ledger on a full disk', () => {
  it('stops its writer, keeps closed entries, and stays readable', async () => {
    const small = join(folder, 'small')
    const said = await writer('small', small, '32').closed
    expect(said).toMatch(/\nstopped ledger_write_failed Cannot write the upload ledger any more: .*\n$/)
    const ledger = await openLedger({ folder: small, target })
    const done = [...said.matchAll(/^done (.*)$/gm)].map(([, key = '']) => ledger.item(key)?.state)
    expect([done.length > 20, [...new Set(done)], ledger.unresolved()]).toEqual([true, ['done'], []])
    await ledger.release()
  })
})
