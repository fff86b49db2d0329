import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createServer } from '@svc/reference-server/core'
import { install } from '../installed.js'
import { goals } from './goals.js'
import { sideBySide } from './measure.js'
import { compare, heading, row } from './page.js'
import { spend } from './programs.js'

const empty = 'node -e 0'

/** Whole processes of the installed command over an empty one. */
export async function benchCli(): Promise<void> {
  const app = install(['cli'])
  const folder = join(app.folder, 'node_modules/@svc/cli')
  const bin = join(folder, 'bin/svc.js')
  const listening = await createServer().listen()
  const settings = { SVC_BASE_URL: listening.baseUrl, SVC_PUBLIC_BASE_URL: listening.publicBaseUrl }
  const cpu = (argv: string[]) => async () => (await spend(argv, settings)).cpu
  const spent = await sideBySide(
    {
      [empty]: cpu(['-e', '0']),
      'svc --version': cpu([bin, '--version']),
      'svc --help': cpu([bin, '--help']),
      'svc health': cpu([bin, 'health']),
    },
    45,
  )
  heading('Start of the command, by the processor', '45 rounds of whole processes, after one')
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
  installed(folder)
  app.remove()
}

/** The package as npm installs it; what it would bring with it is counted too. */
function installed(folder: string): void {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => statSync(join(folder, path)))
    .filter((file) => file.isFile())
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  heading('The command installed', `${files.length} files; npm install of the tarball`)
  row('size', files.reduce((sum, { size }) => sum + size, 0) / 1_000_000, 'MB', { goal: goals.installed })
  row('packages that come with it', Object.keys(manifest.dependencies ?? {}).length, '', { goal: goals.dependencies })
}
