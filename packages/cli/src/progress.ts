import type { Context } from './context.js'

/** Tells how far the work has come. */
export interface Progress {
  update(text: string): void
  stop(): void
}

/** So often a log is told, in milliseconds. */
const everyMs = 5_000

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
    update(next) {
      spinner.text = next
    },
    stop() {
      stderr.write = write
      spinner.stop()
    },
  }
}

function plain({ say, now }: Context): Progress {
  let toldAt = now()
  return {
    update(text) {
      if (now() - toldAt < everyMs) return
      toldAt = now()
      say(text)
    },
    stop() {},
  }
}
