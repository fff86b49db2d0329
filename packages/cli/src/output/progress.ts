import type { Context } from '../context.js'

export interface Progress {
  /** `text` is called only when it is shown. */
  update(text: () => string): void
  stop(): void
}

const logEveryMs = 5_000
const drawEveryMs = 80

/** A spinner on stderr if it is a terminal, else a plain line every five seconds. */
export async function startProgress(context: Context, text: string): Promise<Progress> {
  const { io, flags } = context
  const { stream } = io.stderr
  if (flags.quiet) return { update() {}, stop() {} }
  if (!stream?.isTTY || !stream.columns || flags.debug || io.env.TERM === 'dumb' || io.env.CI) return plain(context)
  const { default: ora } = await import('ora')
  // With discardStdin, which is the default of ora, Ctrl-C has no effect.
  const spinner = ora({ text, stream, discardStdin: false }).start()
  const { stderr } = io
  const { write } = stderr
  // Other output goes above the spinner.
  stderr.write = (text) => {
    spinner.clear()
    write(text)
    spinner.render()
  }
  return {
    update: throttled(context, drawEveryMs, (next) => {
      spinner.text = next
    }),
    stop() {
      stderr.write = write
      spinner.stop()
    },
  }
}

const plain = (context: Context): Progress => ({ update: throttled(context, logEveryMs, context.say), stop() {} })

function throttled({ now }: Context, ms: number, report: (text: string) => void): Progress['update'] {
  let reportedAt = now()
  return (text) => {
    const present = now()
    if (present - reportedAt < ms) return
    reportedAt = present
    report(text())
  }
}
