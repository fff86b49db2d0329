import type { Context } from '../../context.js'
import { CliError, exit } from '../../exit.js'

/** How long a check may ask. */
export interface Deadline {
  /** The options of a call; throws what `over` says. */
  call: Context['call']
  /** Undefined as long as there is time. */
  over(): CliError | undefined
}

/** What a timer may be early by, in milliseconds. */
const slackMs = 2

/** The deadline of the run where there is a flag, else that of the policy. */
export function deadlineOf(context: Context, policyMs: number | undefined, isKept: boolean): Deadline {
  const isOfPolicy = context.flags.deadline === undefined
  const until = isOfPolicy && policyMs !== undefined ? context.now() + policyMs : undefined
  const left = (): number | undefined => (until === undefined ? leftOfRun(context) : until - context.now())
  const over = () => {
    if ((left() ?? Infinity) > slackMs) return undefined
    const goOn = isKept ? 'run it again, what was answered is in the cache' : 'run it again'
    return new CliError(exit.temporary, `The deadline of ${isOfPolicy ? 'the policy' : 'this run'} has passed.`, {
      hint: `${goOn}; or raise ${isOfPolicy ? '"deadline" in the policy' : '--deadline'}`,
    })
  }
  return {
    over,
    call() {
      const late = over()
      if (late) throw late
      return { ...context.call(), deadlineMs: left() }
    },
  }
}

function leftOfRun(context: Context): number | undefined {
  try {
    return context.call().deadlineMs
  } catch {
    return 0
  }
}
