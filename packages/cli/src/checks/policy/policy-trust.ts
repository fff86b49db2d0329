import type { Context } from '../../context.js'
import { CliError, exit } from '../../exit.js'
import { isInside } from '../../input/candidates.js'
import type { Io } from '../../io.js'
import { trustIn } from '../../settings/project-file.js'
import { shellLine } from '../../shell-line.js'
import type { PolicyFile } from './policy-file.js'

/**
 * Refuses a policy that names paths outside of its folder and the working directory, also through links, unless the user
 * trusts the file as it stands: whoever wrote it would choose what is read, sent and overwritten.
 */
export async function refuseForeignPaths(
  { io, settings }: Pick<Context, 'io' | 'settings'>,
  file: PolicyFile,
): Promise<void> {
  const roots = await Promise.all([file.folder, '.'].map((folder) => placeOf(io, folder)))
  const foreign: string[] = []
  for (const path of namedIn(file)) {
    const place = await placeOf(io, path)
    if (!roots.some((root) => root !== undefined && place !== undefined && isInside(root, place))) foreign.push(path)
  }
  if (foreign.length === 0) return
  const trust = trustIn({ path: io.resolve(file.path), hash: file.hash }, (await settings()).user?.settings)
  if (trust === 'trusted') return
  const why = trust === 'changed' ? 'has changed since it was trusted' : 'is not trusted'
  const command = shellLine(['svc', 'config', 'trust', file.path])
  throw new CliError(exit.input, `${file.path} names paths outside of its folder, and ${why}.`, {
    details: foreign,
    hint: `look at the file, then run \`${command}\`; or leave it out with --no-policy`,
  })
}

/** What is read or written; a pattern that leaves files out does neither. */
const namedIn = ({ paths = [], baseline }: PolicyFile): string[] =>
  [...paths, ...(baseline === undefined ? [] : [baseline])].filter((path) => !path.startsWith('!'))

/** Where a path leads, or the folder in which a pattern is looked for; undefined where that cannot be told. */
async function placeOf(io: Io, path: string): Promise<string | undefined> {
  const steps = path.split('/')
  const pattern = io.isThere(path) ? -1 : steps.findIndex((step) => /[*?[({]/.test(step))
  if (pattern >= 0 && steps.slice(pattern).some((step) => step.includes('..'))) return undefined
  const folder = pattern < 0 ? path : steps.slice(0, pattern).join('/') || '.'
  return io.landingOf(folder).then(
    ({ place }) => place,
    () => undefined,
  )
}
