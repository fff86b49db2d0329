import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { cachedDataVersionTag } from 'node:v8'
import { type ExitCode, exit } from '../exit.js'
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
    await put(file, compiledBytes(compiled()))
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

/** Whole or not at all, and on disk before it has its name. */
async function put(file: string, bytes: Uint8Array): Promise<void> {
  const draft = `${file}.${process.pid}`
  try {
    const handle = await open(draft, 'wx', 0o600)
    try {
      await handle.writeFile(bytes)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(draft, file)
  } finally {
    await rm(draft, { force: true })
  }
}

/** Of a command's files the latest stay. */
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
