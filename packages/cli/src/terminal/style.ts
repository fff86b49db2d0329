import { styleText } from 'node:util'
import type { Output } from '../io/index.js'

type Format = 'bold' | 'dim' | 'green' | 'red' | 'yellow' | 'cyan' | 'magenta'
/** Styles a text, or returns it unchanged without colour. */
export type Style = (format: Format, text: string) => string

/** True if a stream is coloured: decided by the flag, NO_COLOR, FORCE_COLOR, then by whether it is a terminal. */
export function wantsColor(
  output: Pick<Output, 'isTTY'>,
  env: Record<string, string | undefined>,
  flag: 'auto' | 'always' | 'never' = 'auto',
): boolean {
  if (flag !== 'auto') return flag === 'always'
  if (env.NO_COLOR) return false
  if (env.FORCE_COLOR) return !['0', 'false'].includes(env.FORCE_COLOR)
  return output.isTTY && env.TERM !== 'dumb'
}

export function styleOf(
  output: Output,
  env: Record<string, string | undefined>,
  flag?: 'auto' | 'always' | 'never',
): Style {
  if (!wantsColor(output, env, flag)) return (_, text) => text
  // Without this option, styleText would check the streams of the process.
  return (format, text) => styleText(format, text, { validateStream: false })
}
