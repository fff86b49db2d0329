import { helpWidth, helpWidthOn } from './help-width.js'
import type { Output } from './io.js'
import { preparedHelp } from './prepared-help.js'

/** The help that a command line asks for, where it was prepared in a folder and has room; then no parser is loaded for it. */
export function askedHelp(argv: readonly string[], folder: string, stdout: () => Output): string | undefined {
  const last = argv.at(-1)
  if (last !== '--help' && last !== '-h') return undefined
  const words = argv.slice(0, -1).join(' ')
  const texts = preparedHelp(folder)
  const text = Object.hasOwn(texts, words) ? texts[words] : undefined
  return text !== undefined && helpWidthOn(stdout()) === helpWidth ? text : undefined
}
