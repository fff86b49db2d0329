/** A command line as it can be typed into a POSIX shell. */
export const shellLine = (words: readonly string[]): string => words.map(shellWord).join(' ')

/** A text as one word of a POSIX shell. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
