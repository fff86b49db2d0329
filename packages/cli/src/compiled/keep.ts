import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { cachedDataVersionTag } from 'node:v8'
import { type ExitCode, exit } from '../exit.js'
import { putPrivate } from '../private-file.js'
import { type Compiled, compiledBytes } from './file.js'
import { isFor } from './place.js'

/** What is to be kept of a run. */
export interface Kept {
  file: string
  compiled(): Compiled
  userId: number | undefined
}

/** So many files are kept for each command: builds, and Nodes with their flags. */
const perCommand = 4

/** Keeps what was compiled for the next run. Where it cannot, that is compiled anew. */
export async function keepCompiled(code: ExitCode, { file, compiled, userId }: Kept): Promise<void> {
  // A word that is no command is kept no file for; and with flags that the run has changed, V8 would not take the code.
  if (code === exit.usage || !isFor(file, cachedDataVersionTag())) return
  try {
    const folder = dirname(file)
    await makeFolders(folder)
    // In a folder of somebody else's, links could lead anywhere.
    if (userId !== undefined && (await stat(folder)).uid !== userId) return
    await putPrivate(file, compiledBytes(compiled()), `${file}.${process.pid}`)
    await prune(file)
  } catch {
    // It is faster the next time, or it is not.
  }
}

/** Makes `.cache/svc/compiled`, and no home where there is none. */
async function makeFolders(folder: string): Promise<void> {
  const own = dirname(folder)
  for (const path of [dirname(own), own, folder]) {
    await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
}

/** Of a command's files, those that a killed process did not finish among them, the latest stay. */
async function prune(file: string): Promise<void> {
  const folder = dirname(file)
  const command = `${basename(file).split('-')[0]}-`
  const names = (await readdir(folder)).filter((name) => name.startsWith(command))
  if (names.length <= perCommand) return
  const files = names.map((name) => join(folder, name))
  const aged = await Promise.all(files.map(async (path) => ({ path, at: (await stat(path)).mtimeMs })))
  aged.sort((a, b) => b.at - a.at)
  await Promise.all(aged.slice(perCommand).map(({ path }) => rm(path, { force: true })))
}
