/** The file operations of a cache. Each throws the error of the system. */
export interface Disk {
  /** The absolute path of a folder. */
  place(path: string): Promise<string>
  /** Create a folder and its parents, for this user alone. */
  makeFolder(path: string): void
  /** The names in a folder. */
  list(folder: string): string[]
  /** The text of a file. */
  readText(path: string): string
  /** Create a file with a text, for this user alone. `flush`: it survives a loss of power. Default: false. */
  create(path: string, text: string, options?: { flush?: boolean }): void
  /** Give a file another name; replaces a file that has it. */
  rename(from: string, to: string): void
  /** Remove a file if there is one. */
  remove(path: string): void
  /** Undefined if there is nothing. `changedAt` in milliseconds since 1970; `isOpen`: other users can open it. */
  facts(path: string): { isFolder: boolean; size: number; changedAt: number; isOpen: boolean } | undefined
  /** Remove the permissions of other users. */
  makePrivate(path: string): void
}
