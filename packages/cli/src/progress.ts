import type { Context } from './context.js'

/** A line that tells how far the work has come, while a person watches. */
export interface Progress {
  update(text: string): void
  stop(): void
}

const silent: Progress = { update() {}, stop() {} }

/** A spinner on stderr where that is a terminal; nothing elsewhere, so that logs stay readable. */
export async function startProgress({ io, flags }: Context, text: string): Promise<Progress> {
  const { stream } = io.stderr
  if (!stream?.isTTY || !stream.columns || flags.quiet || flags.debug || io.env.TERM === 'dumb' || io.env.CI)
    return silent
  const { default: ora } = await import('ora')
  // With discardStdin, which is ora's default, a typed Ctrl-C never arrives.
  const spinner = ora({ text, stream, discardStdin: false }).start()
  return {
    update(next) {
      spinner.text = next
    },
    stop() {
      spinner.stop()
    },
  }
}
