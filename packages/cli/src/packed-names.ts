/** Whether a file is an archive, by its name: what is in it has a path that leads through it. */
export const isArchive = (name: string): boolean => /\.(zip|eval)(\.(gz|zst))?$/i.test(name)

/** Whether the lines of what is in a file are no lines of the file. */
export const isPacked = (name: string): boolean => /\.(zip|eval|gz|zst)$/i.test(name)

/** Whether a path is that of standard input, or of what is packed in it. */
export const isStdin = (path: string): boolean => path === '-' || path.startsWith('-/')
