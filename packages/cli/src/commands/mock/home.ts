import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { CliError, exit } from '../../exit.js'
import type { Io } from '../../io/index.js'

/** Folders for one run, so that nothing of the user's is used or touched, and a `svc` that starts this very one. */
interface Home {
  variables: { SVC_STATE_DIR: string; SVC_CACHE_DIR: string; SVC_CONFIG: string }
  /** The folder that holds `svc`. */
  bin: string
  pathSeparator: string
  remove(): Promise<void>
}

/** Makes the folders; state, cache and configuration stay in `kept` where a world is kept. */
export async function makeHome({ node, script }: Io['self'], kept: string | undefined): Promise<Home> {
  const root = await mkdtemp(join(tmpdir(), 'svc-mock-')).catch((cause: unknown) => {
    throw new CliError(exit.input, `Cannot create a folder in ${tmpdir()}.`, {
      hint: 'set TMPDIR to a writable folder',
      cause,
    })
  })
  const bin = join(root, 'bin')
  await mkdir(bin)
  await writeFile(join(bin, 'svc'), `#!/bin/sh\nexec ${quoted(node)} ${quoted(script)} "$@"\n`)
  await chmod(join(bin, 'svc'), 0o755)
  await writeFile(join(bin, 'svc.cmd'), `@"${node}" "${script}" %*\r\n`)
  const home = kept ?? root
  return {
    variables: {
      SVC_STATE_DIR: join(home, 'state'),
      SVC_CACHE_DIR: join(home, 'cache'),
      SVC_CONFIG: join(home, 'config.json'),
    },
    bin,
    pathSeparator: delimiter,
    remove: () => rm(root, { recursive: true, force: true }),
  }
}

/** A text as one word of a shell. */
export const quoted = (path: string) => `'${path.replaceAll("'", "'\\''")}'`
