import { closeSync, constants, lstatSync, openSync, realpathSync, statSync, writeSync } from 'node:fs'
import { access, chmod, lstat, readlink, realpath, stat, writeFile } from 'node:fs/promises'
import { platform } from 'node:os'
import { basename, dirname, isAbsolute, join, parse, resolve, sep } from 'node:path'
import type { Places, WriteTarget } from './disk.js'

/** The places of this machine. Paths are relative to `cwd`. */
export const nodePlaces = (cwd: string): Places => ({
  resolve: (path) => resolve(cwd, path),
  writeTarget: (path, mayReplace) => writeTargetOf(resolve(cwd, path), mayReplace),
  writeThrough: (place, parts) => writeFile(place, parts, { flag: 'a' }),
  tryThrough,
})

/** A device is asked to write nothing. */
async function tryThrough(place: string): Promise<void> {
  await access(place, constants.W_OK)
  if (!(await stat(place)).isCharacterDevice()) return
  const device = openSync(place, 'w')
  try {
    writeSync(device, new Uint8Array())
  } finally {
    closeSync(device)
  }
}

async function writeTargetOf(path: string, mayReplace = true): Promise<WriteTarget> {
  // Open files of a process, such as /dev/stderr.
  if (/^\/(dev\/(?!shm\/)|proc\/)/.test(path)) return { place: path, isThrough: true }
  if (!mayReplace) return { place: join(await behindLinks(dirname(path)), basename(path)), isThrough: false }
  const place = await behindLinks(path)
  const stats = await stat(place).catch(() => undefined)
  if (!stats) return { place, isThrough: false }
  return { place, isThrough: !stats.isFile(), mode: stats.mode & 0o666 }
}

/** Follow every link of an absolute path. Refuses links that another user may have created. */
async function behindLinks(path: string): Promise<string> {
  // Windows has no sticky folders.
  if (platform() === 'win32') return realpath(path).catch(() => path)
  let place = parse(path).root
  let links = 0
  const steps = path.split(sep)
  for (let step = steps.shift(); step !== undefined; step = steps.shift()) {
    const next = join(place, step)
    const isLink = await lstat(next).then(
      (found) => found.isSymbolicLink(),
      () => false,
    )
    if (isLink) {
      if (++links > mostLinks) throw refusal('ELOOP')
      if (await isShared(place)) throw refusal('a link in a folder that others can write to is not followed')
      const target = await readlink(next)
      if (isAbsolute(target)) place = parse(target).root
      steps.unshift(...target.split(sep))
    } else place = next
  }
  return place
}

/** The limit of Linux. */
const mostLinks = 40

/** True if a folder is sticky and writable for others, like /tmp. */
async function isShared(folder: string): Promise<boolean> {
  const { mode } = await stat(folder)
  return (mode & 0o1000) !== 0 && (mode & 0o022) !== 0
}

const refusal = (code: string): Error => Object.assign(new Error(code), { code })

export const modeOf = async (path: string): Promise<number> =>
  platform() === 'win32' ? 0o600 : (await stat(path)).mode & 0o777

export const makePrivate = async (path: string): Promise<void> => chmod(path, (await modeOf(path)) & 0o700)

export function isNamed(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOTDIR'
  }
}

export const ownersOf = (path: string): number[] =>
  platform() === 'win32' ? [] : [path, dirname(path), dirname(realpathSync(path))].map((each) => statSync(each).uid)
