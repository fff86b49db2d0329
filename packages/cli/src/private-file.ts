import { chmod, open, rename, rm, stat } from 'node:fs/promises'
import { platform } from 'node:os'

/** The permission bits of a file or folder; on Windows, where they mean nothing, 0o600. */
export const modeOf = async (path: string): Promise<number> =>
  platform() === 'win32' ? 0o600 : (await stat(path)).mode & 0o777

/** Takes from everybody else what they may do with a file. */
export const makePrivate = async (path: string): Promise<void> => chmod(path, (await modeOf(path)) & 0o700)

/** Writes a file that is this user's alone, in a folder that is there, by way of a draft; a link gives way to it. */
export async function putPrivate(place: string, content: string | Uint8Array, draft: string): Promise<void> {
  try {
    const file = await open(draft, 'wx', 0o600)
    try {
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, place)
  } finally {
    await rm(draft, { force: true }).catch(() => {})
  }
}
