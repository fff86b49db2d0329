import { styleText } from 'node:util'
import type { Output } from '../io/index.js'

type Format = 'bold' | 'dim' | 'green' | 'red' | 'yellow' | 'cyan'
/** Text in a style, or as it is where the stream shows no colour. Colour never carries meaning alone. */
export type Style = (format: Format, text: string) => string

/** Whether a stream gets colour: the flag, then NO_COLOR, then FORCE_COLOR, then whether it is a terminal that can. */
export function wantsColor(
  output: Pick<Output, 'isTTY'>,
  env: Record<string, string | undefined>,
  flag: 'auto' | 'always' | 'never' = 'auto',
): boolean {
  if (flag !== 'auto') return flag === 'always'
  if (env.NO_COLOR) return false
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0'
  return output.isTTY && env.TERM !== 'dumb'
}

export function styleOf(
  output: Output,
  env: Record<string, string | undefined>,
  flag?: 'auto' | 'always' | 'never',
): Style {
  if (!wantsColor(output, env, flag)) return (_, text) => text
  // Decided above; left to itself, styleText would ask the process's own streams again.
  return (format, text) => styleText(format, text, { validateStream: false })
}
