import { kindOf } from '@svc/text'
import { CliError, exit } from '../exit.js'

/** An answer with status 2xx in which a field has the wrong type. */
export class MalformedAnswer extends CliError {
  /** The faults, each with its JSON pointer. */
  readonly faults: string

  constructor(faults: readonly string[], { hint = apiHint, cause }: { hint?: string; cause?: unknown } = {}) {
    const more = faults.length - shownFaults
    const text = [...faults.slice(0, shownFaults), ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
    super(exit.refused, `The service sent a malformed answer: ${text}.`, { hint, cause })
    this.faults = text
  }
}

const shownFaults = 5
const apiHint = 'check SVC_BASE_URL and SVC_PUBLIC_BASE_URL; `svc api` shows the raw answer'

/** The fields of a value that have another type than `wanted`. `at`: the JSON pointer of the value. */
export function wrongFields(value: unknown, at: string, wanted: Readonly<Record<string, string>>): string[] {
  if (kindOf(value) !== 'an object') return [`${at} expected an object, found ${kindOf(value)}`.trim()]
  return Object.entries(wanted).flatMap(([name, kind]) => {
    const found = kindOf((value as Record<string, unknown>)[name])
    return found === kind ? [] : [`${at}/${name} expected ${kind}, found ${found}`]
  })
}

export function wrongItems(value: unknown, at: string, wanted: Readonly<Record<string, string>>): string[] {
  if (!Array.isArray(value)) return [`${at} expected a list, found ${kindOf(value)}`]
  return value.flatMap((item, i) => wrongFields(item, `${at}/${i}`, wanted))
}

export function refuseMalformed(faults: readonly string[]): void {
  if (faults.length > 0) throw new MalformedAnswer(faults)
}

const ofRecord = (body: unknown) => {
  const faults = wrongFields(body, '', { data: 'an object' })
  return faults.length > 0 ? faults : wrongFields((body as { data: unknown }).data, '/data', { id: 'a text' })
}
const ofList = (name: string) => (body: unknown) => {
  const faults = wrongFields(body, '', { [name]: 'a list' })
  return faults.length > 0 ? faults : wrongItems((body as Record<string, unknown>)[name], `/${name}`, {})
}

/** The checks of the client, by operation. */
const reliedOn: Readonly<Record<string, (body: unknown) => string[]>> = {
  health: (body) => wrongFields(body, '', { status: 'a text' }),
  'annotators.list': ofList('annotators'),
  'projects.list': ofList('data'),
  'transcripts.list': ofList('data'),
  'projects.get': ofRecord,
  'transcripts.get': ofRecord,
}

/** Why the client refused the JSON of an answer. */
export const faultsOfAnswer = (operation: string | undefined, body: unknown): string[] =>
  typeof body === 'string' ? [] : (reliedOn[operation ?? '']?.(body) ?? [])
