import type { Exchange } from './exchange.js'
import type { Rule } from './rule.js'
import type { Transport } from './transports/transport.js'
import { openTrial } from './trial.js'

/** How a rule went over one transport. */
export interface Tried {
  exchanges: readonly Exchange[]
  /** Why it does not hold. */
  error?: unknown
}

/** Why a rule is not tried over a transport; undefined where it is. */
export const notOver = ({ only }: Rule, { name }: Transport): string | undefined =>
  only && !only.transports.includes(name) ? only.because : undefined

/** Tries a rule at a reference server of its own; never rejects for what the rule says. */
export async function runRule(rule: Rule, transport: Transport): Promise<Tried> {
  const { trial, exchanges, close } = await openTrial(transport, rule)
  try {
    await rule.run(trial)
    return { exchanges }
  } catch (error) {
    return { exchanges, error }
  } finally {
    await close()
  }
}

/** Headers that belong to a connection, and not to what was answered. */
const ofConnections = new Set(['connection', 'keep-alive', 'transfer-encoding'])

/** How the answers over one transport differ from those over another, one sentence each. */
export function differences(these: readonly Exchange[], those: readonly Exchange[]): string[] {
  const asked = (exchanges: readonly Exchange[]) => exchanges.map(({ method, path }) => `${method} ${path}`).join(', ')
  if (asked(these) !== asked(those)) return [`asked ${asked(these)}, and there ${asked(those)}`]
  return these.flatMap(({ method, path, answer }, i) => {
    const other = those[i]?.answer
    if (!answer || !other) return answer === other ? [] : [`${method} ${path} was answered only here or only there`]
    return differing(answer, other, namesItsPlace.test(path)).map((part) => `${method} ${path} ${part}`)
  })
}

type Answer = NonNullable<Exchange['answer']>

/** The paths of the interface description, which contains the URL of its server. */
const namesItsPlace = /^\/(openapi\.json|docs)$/

function differing(one: Answer, other: Answer, ofItsPlace: boolean): string[] {
  const names = [...new Set([...Object.keys(one.headers), ...Object.keys(other.headers)])].filter(
    (name) => !ofConnections.has(name) && !(name === 'content-length' && !(one.headers[name] && other.headers[name])),
  )
  const pairs: [string, unknown, unknown][] = [
    ['status', one.status, other.status],
    ...names.map((name): [string, unknown, unknown] => [
      name,
      withoutNonce(one.headers[name]),
      withoutNonce(other.headers[name]),
    ]),
    ['text', one.text, other.text],
  ]
  const compared = pairs.filter(([part]) => !ofItsPlace || !['text', 'content-length'].includes(part))
  return compared.filter(([, a, b]) => a !== b).map(([part, a, b]) => `${part}: ${short(a)} and ${short(b)}`)
}

/** A page has another nonce in each answer. */
const withoutNonce = (value: string | undefined) => value?.replace(/'nonce-\w+'/g, "'nonce'")

const short = (value: unknown) => String(value).slice(0, 300)
