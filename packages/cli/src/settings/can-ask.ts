import type { Context } from '../context.js'

/** Whether somebody sits at a terminal who can be asked. */
export const canAsk = ({ io, flags }: Pick<Context, 'io' | 'flags'>): boolean =>
  flags.input !== false && io.stdinIsTTY && io.stderr.isTTY
