import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { requireBuilt } from './built.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

export const packages = ['client', 'transcripts', 'bulk', 'checks', 'reference-server', 'cli'] as const
type Package = (typeof packages)[number]

/** Run a command in a folder and return its stdout. */
export const run = (command: string, args: string[], cwd: string): string =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

/** The tarball of a package that `pnpm packed` wrote; undefined if there is none, or a file of the package is newer. */
function packedBefore(name: Package): string | undefined {
  const tarball = join(root, 'packed', `svc-${name}.tgz`)
  const packedAt = statSync(tarball, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const folder = join(root, 'packages', name)
  const built = ['dist', ...(name === 'cli' ? ['bin'] : [])].flatMap((part) =>
    readdirSync(join(folder, part), { recursive: true, encoding: 'utf8' }).map((path) => join(part, path)),
  )
  const isNewer = (path: string) => statSync(join(folder, path)).mtimeMs > packedAt
  return [...built, 'package.json', 'README.md'].some(isNewer) ? undefined : tarball
}

/** Pack packages as `changeset publish` does in a pnpm workspace: into `<folder>/svc-<name>.tgz`. */
export function pack(folder: string, names: readonly Package[]): string[] {
  mkdirSync(folder)
  for (const name of names) requireBuilt(name)
  const others = names.filter((name) => {
    const tarball = packedBefore(name)
    if (tarball !== undefined) copyFileSync(tarball, join(folder, basename(tarball)))
    return tarball === undefined
  })
  const filters = others.map((name) => `--filter=@svc/${name}`)
  if (others.length > 0)
    run('npx', ['--yes', 'pnpm@12', '--recursive', ...filters, 'pack', '--out', join(folder, '%s.tgz')], root)
  return names.map((name) => join(folder, `svc-${name}.tgz`))
}

/** Pack packages, and install the tarballs with npm into a new folder outside the workspace. */
export function install(names: readonly Package[]): { folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'svc-installed-'))
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const options = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
  run('npm', ['install', ...options, ...pack(join(folder, 'packed'), names)], folder)
  return { folder, remove: () => rmSync(folder, { recursive: true, maxRetries: 3 }) }
}
