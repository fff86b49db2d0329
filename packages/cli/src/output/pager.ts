import type { Context } from '../context.js'

/** Print a long text: through the pager of `PAGER` (default: less) on a terminal, else straight to stdout. */
export async function printPaged({ io }: Pick<Context, 'io'>, text: string): Promise<void> {
  const pager = io.env.PAGER ?? 'less'
  const isPaged = io.stdout.isTTY && io.stdinIsTTY && io.env.TERM !== 'dumb' && !['', 'cat'].includes(pager.trim())
  if (!isPaged || !(await showIn(io, pager, text))) io.stdout.write(text)
}

/** False if the pager could not be started. */
function showIn(io: Context['io'], pager: string, text: string): Promise<boolean> {
  // As in git: quit if the text fits the screen, keep colors, leave the text on the screen.
  const child = io.spawn('sh', ['-c', pager], { LESS: 'FRX', ...io.env }, text)
  return new Promise((resolve) => {
    child.once('error', () => resolve(false))
    // The shell ends with 126 or 127 if it cannot run the command.
    child.once('close', (code) => resolve(code !== 126 && code !== 127))
  })
}
