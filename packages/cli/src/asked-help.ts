import { helpWidth, helpWidthOn } from './help-width.js'
import type { Output } from './io.js'
import { preparedHelp } from './prepared-help.js'

/** The help that a command line asks for, where it was prepared and has room; then no parser need be loaded for it. */
export function askedHelp(argv: readonly string[], stdout: () => Output): string | undefined {
  const last = argv.at(-1)
  if (last !== '--help' && last !== '-h') return undefined
  const text = preparedHelp().get(argv.slice(0, -1).join(' '))
  return text !== undefined && helpWidthOn(stdout()) === helpWidth ? text : undefined
}
