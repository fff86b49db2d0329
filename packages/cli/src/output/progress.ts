import { type Context, isCi } from '../context.js'
import { type Pace, paceParts, progressText } from './pace.js'

export interface Progress {
  /** `pace` is called only when it is shown: on a terminal several times a second, until the next update. */
  update(pace: () => Pace): void
  stop(): void
}

const logEveryMs = 5_000

/**
 * A bar on stderr if it is a terminal, else a plain line every five seconds.
 *
 * @param verb as in `uploading`
 * @param afterMs nothing is shown before this time, for work that is usually short
 */
export async function startProgress(context: Context, verb: string, { afterMs = 0 } = {}): Promise<Progress> {
  const { io, flags, now } = context
  const { stream } = io.stderr
  if (flags.quiet) return { update() {}, stop() {} }
  const startedAt = now()
  const partsOf = (pace: Pace) => paceParts(pace, { startedAt, now: now() })
  if (!stream?.isTTY || !stream.columns || flags.debug || io.env.TERM === 'dumb' || isCi(io)) {
    let reportedAt = startedAt
    return {
      update(pace) {
        if (now() - reportedAt < logEveryMs) return
        reportedAt = now()
        context.say(`${verb} ${partsOf(pace()).join(', ')}`)
      },
      stop() {},
    }
  }
  const { default: ora, spinners } = await import('ora')
  let latest: () => Pace = () => ({ done: 0 })
  const suffixText = () => progressText(verb, latest(), partsOf(latest()), stream.columns - 4)
  const spinner = ora({
    text: '',
    suffixText,
    stream,
    // ora itself would decide by the environment, for the color by another stream and without the flags.
    isEnabled: true,
    color: false,
    spinner: { ...spinners.dots, frames: spinners.dots.frames.map((frame) => context.style.err('cyan', frame)) },
    // Nothing could show a hidden cursor again when Ctrl-Z or SIGKILL stops the process.
    hideCursor: false,
    // With discardStdin, which is the default of ora, Ctrl-C has no effect.
    discardStdin: false,
  })
  const { stderr } = io
  const { write } = stderr
  // Other output goes above the spinner.
  stderr.write = (text) => {
    if (!spinner.isSpinning) return write(text)
    spinner.clear()
    write(text)
    spinner.render()
  }
  return {
    update(pace) {
      latest = pace
      if (!spinner.isSpinning && now() - startedAt >= afterMs) spinner.start()
    },
    stop() {
      stderr.write = write
      spinner.stop()
    },
  }
}
