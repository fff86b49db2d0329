import { ambiguityValues } from '@svc/reference-server'
import type { AllAmbiguities } from '@svc/reference-server/testing'
import type { Choices } from './choices.js'

/** The values of readings that are numbers, the default first. */
const numbers = {
  totalCap: [100, 10],
  pageCap: [0, 10, 25],
  listLagMs: [0, 3_000, 8_000, 14_000],
  filterLagMs: [10_000, 30_000],
  databaseSkewMs: [0, -300_000, 300_000],
} as const satisfies Partial<Record<keyof AllAmbiguities, readonly [number, ...number[]]>>

/** A longer lag than `settleMs` is survived if the service shows that it has more than it lists. */
const longLagMs = 200_000

/** How the service of a world reads what the interface leaves open. Size limits stay as they are: no program exceeds them. */
export function drawAmbiguities(choices: Choices): Partial<AllAmbiguities> {
  const drawn: Record<string, unknown> = {}
  for (const [name, values] of Object.entries({ ...ambiguityValues, ...numbers }))
    drawn[name] = choices.pick(values as readonly [unknown, ...unknown[]], harmlessOf(name))
  const { total, pagination, totalLags } = drawn
  if (total === 'exact' && pagination === 'full' && totalLags === false && choices.chance(0.3))
    drawn.listLagMs = longLagMs
  return drawn
}

/** How often a reading is the default: mostly, if it refuses an upload that others accept. */
const harmlessOf = (name: string): number => (name === 'externalIdUnique' ? 0.8 : 0.75)

/** How the service of a world hides stamps from readers: as they are, masked as a whole, or each text in them. */
export type Mask = 'none' | 'whole' | 'texts'

export const drawMask = (choices: Choices): Mask => choices.pick(['none', 'whole', 'texts'] as const, 0.8)

/** An answer with the stamps of its records masked. */
export async function masked(response: Response, mask: Mask): Promise<Response> {
  const { status, headers } = response
  if (mask === 'none' || !headers.get('content-type')?.startsWith('application/json')) return response
  const body = JSON.stringify(
    JSON.parse(await response.text(), (name, value) => {
      if (name !== 'svc') return value
      if (mask === 'whole') return '***'
      return JSON.parse(JSON.stringify(value, (_, each) => (typeof each === 'string' ? 'REDACTED' : each)))
    }),
  )
  return new Response(body, { status, headers })
}
