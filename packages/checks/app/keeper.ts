/** Texts by name that stay in the browser, as far as it lets a page keep them. */
export type Keeper = ReturnType<typeof keeperIn>

/** The texts in a storage. A page from a file or in a sandbox may have none, and it may be full: then nothing is kept. */
export const keeperIn = (storage: () => Pick<Storage, 'getItem' | 'setItem'>) => ({
  read: (name: string) => attempt(() => storage().getItem(name)),
  write: (name: string, text: string) => attempt(() => storage().setItem(name, text)),
})

/** Undefined for an act that throws. */
export function attempt<T>(act: () => T): T | undefined {
  try {
    return act()
  } catch {
    return undefined
  }
}
