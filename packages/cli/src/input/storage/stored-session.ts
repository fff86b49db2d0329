import { opencodeSession } from './opencode.js'
import { openhandsSession } from './openhands.js'
import type { StorageFiles, StoredSession } from './stored-files.js'

/** The session of several files that a file stands for; undefined for any other file. */
export async function storedSession(io: StorageFiles, path: string): Promise<StoredSession | undefined> {
  return opencodeSession(io, path) ?? openhandsSession(io, path)
}
