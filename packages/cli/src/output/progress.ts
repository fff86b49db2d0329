import type { Context } from '../context.js'

/** Tells how far the work has come. */
export interface Progress {
  /** What is told is asked for only when it is shown. */
  update(text: () => string): void
  stop(): void
}

/** So often a log is told, in milliseconds, and so often a terminal. */
const everyMs = 5_000
const drawnMs = 80

/** One line that changes, on stderr where that is a terminal; elsewhere a plain line now and then, so that logs stay readable. */
export async function startProgress(context: Context, text: string): Promise<Progress> {
  const { io, flags } = context
  const { stream } = io.stderr
  if (flags.quiet) return { update() {}, stop() {} }
  if (!stream?.isTTY || !stream.columns || flags.debug || io.env.TERM === 'dumb' || io.env.CI) return plain(context)
  const { default: ora } = await import('ora')
  // With discardStdin, which is ora's default, a typed Ctrl-C never arrives.
  const spinner = ora({ text, stream, discardStdin: false }).start()
  const { stderr } = io
  const { write } = stderr
  // What is said meanwhile stands above the line.
  stderr.write = (said) => {
    spinner.clear()
    write(said)
    spinner.render()
  }
  return {
    update: nowAndThen(context, drawnMs, (next) => {
      spinner.text = next
    }),
    stop() {
      stderr.write = write
      spinner.stop()
    },
  }
}

const plain = (context: Context): Progress => ({ update: nowAndThen(context, everyMs, context.say), stop() {} })

function nowAndThen({ now }: Context, ms: number, tell: (text: string) => void): Progress['update'] {
  let toldAt = now()
  return (text) => {
    const present = now()
    if (present - toldAt < ms) return
    toldAt = present
    tell(text())
  }
}
