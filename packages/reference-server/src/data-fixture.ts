import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openStore, StoreError } from './data.js'
import type { Change, Store } from './store.js'

/** A folder of the test's own, which is gone after it. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-data-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Opens a store that is closed after the test at the latest. */
export async function open(folder: string): Promise<Store> {
  const store = await openStore(folder)
  onTestFinished(() => store.close())
  return store
}

/** What a start on the folder reads, as a server would. */
export async function restarted(folder: string): Promise<Change[]> {
  const store = await openStore(folder)
  try {
    return [...store.load()]
  } finally {
    store.close()
  }
}

/** Why the folder cannot be opened. */
export async function refusal(folder: string): Promise<StoreError> {
  const store = await openStore(folder).catch((error: unknown) => error)
  if (store instanceof StoreError) return store
  if (store instanceof Error) throw store
  ;(store as Store).close()
  throw new Error('The store was opened.')
}

/** The files of a folder by name. */
export const filesOf = (folder: string): Map<string, Buffer> =>
  new Map(
    readdirSync(folder)
      .filter((name) => statSync(join(folder, name)).isFile())
      .map((name) => [name, readFileSync(join(folder, name))]),
  )

/** Makes the folder hold these files, and no others. */
export function lay(folder: string, files: ReadonlyMap<string, Uint8Array>): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes)
}
