import type { Clock } from '@svc/client'
import type { Output } from './io.js'

/** An output that is written to now and then; a write for each of many lines would cost more than the lines. */
export interface Gathered extends Pick<Output, 'isTTY' | 'columns' | 'write'> {
  /** Writes what has been gathered. */
  flush(): void
}

/** So long a line may wait for others, in milliseconds. */
const everyMs = 20
/** So much text waits no longer. */
const most = 1 << 16

export function gathered(output: Output, clock: Clock): Gathered {
  let text = ''
  let cancel: (() => void) | undefined
  const flush = () => {
    cancel?.()
    cancel = undefined
    const whole = text
    text = ''
    if (whole) output.write(whole)
  }
  return {
    isTTY: output.isTTY,
    columns: output.columns,
    write(more) {
      text += more
      if (text.length >= most) flush()
      else cancel ??= clock.after(everyMs, flush)
    },
    flush,
  }
}
