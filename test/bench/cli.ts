import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createServer } from '@svc/reference-server/core'
import { goals } from './goals.js'
import { sideBySide } from './measure.js'
import { compare, heading, row } from './page.js'
import { spend } from './programs.js'

const bin = fileURLToPath(new URL('../../packages/cli/bin/svc.js', import.meta.url))
const empty = 'node -e 0'

/** Whole processes of the command over an empty one. */
export async function benchCli(): Promise<void> {
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
  installed()
}

/** The package as it is published, unpacked; what it would bring with it is counted too. */
function installed(): void {
  const folder = mkdtempSync(join(tmpdir(), 'svc-installed-'))
  try {
    const packed = fileURLToPath(new URL('../../packages/cli', import.meta.url))
    execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: packed })
    const [tarball = ''] = readdirSync(folder)
    execFileSync('tar', ['-xzf', tarball], { cwd: folder })
    const files = readdirSync(join(folder, 'package'), { recursive: true, encoding: 'utf8' })
      .map((path) => statSync(join(folder, 'package', path)))
      .filter((file) => file.isFile())
    const manifest = JSON.parse(readFileSync(join(folder, 'package/package.json'), 'utf8'))
    heading('The command installed', `${files.length} files; npm pack, unpacked`)
    row('size', files.reduce((sum, { size }) => sum + size, 0) / 1_000_000, 'MB', { goal: goals.installed })
    row('packages that come with it', Object.keys(manifest.dependencies ?? {}).length, '', { goal: goals.dependencies })
  } finally {
    rmSync(folder, { recursive: true })
  }
}
