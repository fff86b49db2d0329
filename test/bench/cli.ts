import { fileURLToPath } from 'node:url'
import { createServer } from '@svc/reference-server/core'
import { goals } from './goals.js'
import { sideBySide } from './measure.js'
import { compare, heading } from './page.js'
import { spend } from './programs.js'

const bin = fileURLToPath(new URL('../../packages/cli/bin/svc.js', import.meta.url))
const empty = 'node -e 0'

/** Whole processes of the command over an empty one. */
export async function benchCli(): Promise<void> {
  const listening = await createServer().listen()
  const env = { SVC_BASE_URL: listening.baseUrl, SVC_PUBLIC_BASE_URL: listening.publicBaseUrl }
  const cpu =
    (...argv: string[]) =>
    async () =>
      (await spend(argv, env)).cpu
  const spent = await sideBySide(
    {
      [empty]: cpu('-e', '0'),
      'svc --version': cpu(bin, '--version'),
      'svc --help': cpu(bin, '--help'),
      'svc health': cpu(bin, 'health'),
    },
    15,
  )
  heading('Start of the command, by the processor', '15 rounds of whole processes')
  compare(spent, {
    unit: 'ms',
    over: [empty],
    goals: {
      'svc --version': { over: empty, goal: goals.version },
      'svc --help': { over: empty, goal: goals.help },
      'svc health': { over: empty, goal: goals.health },
    },
  })
  await listening.close()
}
