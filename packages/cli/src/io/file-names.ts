import { isUtf8 } from 'node:buffer'
import { existsSync, type PathLike, readFileSync } from 'node:fs'

/** The text of a file name. A byte that is not UTF-8 is written as in `caf\xe9.json`. */
export const nameOf = (bytes: Buffer): string =>
  bytes.toString('latin1').replaceAll(/[\x80-\xff]+/g, (part) => {
    const run = Buffer.from(part, 'latin1')
    return isUtf8(run) ? run.toString() : [...run].map((byte) => `\\x${byte.toString(16)}`).join('')
  })

/** The path that the text of `nameOf` stands for. A file that has this text as its name comes first. */
export function pathOf(name: string): PathLike {
  if (!/\\x[89a-f][\da-f]/.test(name) || existsSync(name)) return name
  const bytes = Buffer.from(name)
    .toString('latin1')
    .replaceAll(/\\x([89a-f][\da-f])/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
  return Buffer.from(bytes, 'latin1')
}

/** The arguments of this process. Node loses the bytes that are not UTF-8; Linux keeps them, and no other system has any. */
export function argumentsOf({ argv }: Pick<NodeJS.Process, 'argv'>): string[] {
  const words = argv.slice(2)
  if (!words.some((word) => word.includes('\ufffd'))) return words
  try {
    const all = readFileSync('/proc/self/cmdline', 'latin1').split('\0').slice(0, -1)
    return all.slice(-words.length).map((word) => nameOf(Buffer.from(word, 'latin1')))
  } catch {
    return words
  }
}
