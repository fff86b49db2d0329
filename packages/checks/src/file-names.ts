/** True if a file is an archive, by its name. The paths of its members lead through it. */
export const isArchive = (name: string): boolean => /\.(zip|eval)(\.(gz|zst))?$/i.test(name)

/** True if the lines of the content are not lines of the file, as in an archive. */
export const isPacked = (name: string): boolean => /\.(zip|eval|gz|zst)$/i.test(name)

/** True if a path is standard input, or a member of an archive on it. */
export const isStdin = (path: string): boolean => path === '-' || path.startsWith('-/')
