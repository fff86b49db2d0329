import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { createServer } from '@svc/reference-server/core'
import { report, sideBySide } from './measure.js'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const bin = here('../../packages/cli/bin/svc.js')

/** CPU of whole processes over that of an empty one. */
export async function benchCli(): Promise<void> {
  const listening = await createServer().listen()
  const { NODE_EXTRA_CA_CERTS: _, ...inherited } = process.env
  const env = { ...inherited, SVC_BASE_URL: listening.baseUrl, SVC_PUBLIC_BASE_URL: listening.publicBaseUrl }

  /** Milliseconds of CPU that `node …` takes from start to end. */
  const cpu =
    (...argv: string[]) =>
    () =>
      new Promise<number>((resolve) => {
        const child = spawn(process.execPath, ['-r', here('./cpu.cjs'), ...argv], {
          env,
          stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
        })
        let micros = ''
        child.stdio[3]?.on('data', (chunk) => {
          micros += chunk
        })
        child.on('close', () => resolve(Number(micros) / 1_000))
      })

  const commands = {
    'node -e 0': cpu('-e', '0'),
    'svc --version': cpu(bin, '--version'),
    'svc --help': cpu(bin, '--help'),
    'svc health': cpu(bin, 'health'),
  }
  report('Start of the command', 'ms of CPU', await sideBySide(commands, 11))
  await listening.close()
}
