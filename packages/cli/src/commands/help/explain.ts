import { constants } from 'node:os'
import { nearest } from '@svc/text'
import type { Command } from 'commander'
import { CliError, type ExitCode, exit } from '../../exit.js'
import { printDocument } from '../../output/index.js'
import { type Action, examples, offer, type SetAction } from '../action.js'
import { type ExitCodeWords, exitCodes } from './exit-codes.js'

const explain: Action<[string], object> = async (context, [code]) => {
  const explanation = wordsFor(code) ?? (await statusWords(code)) ?? signalWords(code) ?? errorWords(code)
  if (!explanation) throw unknownCode(code)
  const { about, ...words } = explanation
  if (context.flags.json) printDocument(context, 'svc/exit-code@1', { ...words, ...(about && { about }) })
  else
    context.io.stdout.write(
      `${about ? `${about}\n` : ''}Exit code ${words.code}: ${words.meaning}\nNext: ${words.next}\n`,
    )
}

interface Explained extends Omit<ExitCodeWords, 'code'> {
  code: number
  /** The HTTP status or error class that was asked about. */
  about?: string
}

/** An exit code, or the kind of an error. */
const wordsFor = (code: string): Explained | undefined =>
  exitCodes.find((each) => String(each.code) === code || each.kinds.includes(code))

const withAbout = (code: string, about: string): Explained | undefined => {
  const words = wordsFor(code)
  return words && { ...words, about }
}

async function statusWords(code: string): Promise<Explained | undefined> {
  if (!/^[2-5]\d\d$/.test(code)) return undefined
  const status = Number(code)
  if (status < 300) {
    const about = `HTTP status ${code} is a success. With a body that is not the documented JSON it is an error: unexpected.`
    return withAbout(String(exit.ok), about)
  }
  const { errorKindOf } = await import('@svc/client')
  const kind = errorKindOf(status)
  const write = kind === 'unavailable' ? `; of a write, its result may be unknown (exit code ${exit.unknownWrite})` : ''
  return withAbout(kind, `HTTP status ${code} is an error of kind ${kind}${write}.`)
}

/** The code that a shell gives for a process that a signal ended. */
function signalWords(code: string): Explained | undefined {
  const [name] = Object.entries(constants.signals).find(([, number]) => String(128 + number) === code) ?? []
  const stopped = wordsFor(String(exit.terminated))
  if (name === undefined || !stopped) return undefined
  return {
    ...stopped,
    code: Number(code),
    meaning: `Ended by ${name}: a shell writes 128 and the number of the signal.`,
  }
}

const errors: Readonly<Record<string, readonly [code: ExitCode, about: string]>> = {
  InputError: [exit.input, 'InputError: the client refused the input; without a usable key the exit code is 4.'],
  ServiceError: [
    exit.refused,
    'ServiceError: the service answered with an error. Its kind decides: authentication and permission end with 4, not_found with 5, rate_limited and unavailable with 75, any other with 6.',
  ],
  ConnectionError: [
    exit.temporary,
    'ConnectionError: no answer came, and nothing was stored; with a certificate that is not trusted the exit code is 3.',
  ],
  AmbiguousWriteError: [exit.unknownWrite, 'AmbiguousWriteError: a write may be stored.'],
  SvcError: [
    exit.bug,
    `SvcError: the base class of the errors of the client. svc explain knows each class by its name.`,
  ],
}

function errorWords(name: string): Explained | undefined {
  const [code, about] = (Object.hasOwn(errors, name) && errors[name]) || []
  return code === undefined || about === undefined ? undefined : withAbout(String(code), about)
}

function unknownCode(code: string): CliError {
  const names = [...exitCodes.flatMap((each) => [String(each.code), ...each.kinds]), ...Object.keys(errors)]
  const meant = Number.isNaN(Number(code)) ? nearest(code, names) : undefined
  return new CliError(exit.usage, `Unknown code "${code}".`, {
    hint: meant ? `did you mean ${meant}?` : '`svc help exit-codes` lists the exit codes',
  })
}

export function explainCommand(command: Command, setAction: SetAction): void {
  offer(command, [...new Set(exitCodes.flatMap(({ code, kinds }) => [String(code), ...kinds])), ...Object.keys(errors)])
  command.addHelpText(
    'after',
    examples('svc explain 10', 'svc explain rate_limited', 'svc explain 429', 'svc explain AmbiguousWriteError'),
  )
  setAction(command, explain)
}
