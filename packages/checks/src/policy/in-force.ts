import * as z from 'zod/mini'
import { defaults, type Frozen, policySchema, type ReadPolicy, text } from './schema.js'

/** The keys that say how to check, which a report has elsewhere, or not at all. */
const ofRun = [
  ...([
    '$schema',
    'extends',
    'annotator',
    'options',
    'paths',
    'reading',
    'exclude',
    'baseline',
    'ruleTimeout',
  ] as const),
  ...(['attempts', 'confirmOnFail', 'against', 'allowMissing'] as const),
] as const

type File = Omit<Frozen<ReadPolicy>, (typeof ofRun)[number] | 'deadline'>
type HasDefault = keyof File & keyof typeof defaults

/** A policy in force, as reports have it: that of the file and of the flags, with its defaults. */
export type Policy = { [Key in HasDefault]: Exclude<File[Key], undefined> } & Omit<File, HasDefault> & {
    /** The functions of a policy in TypeScript or JavaScript, and the SHA-256 in hex of its files. Absent without functions. */
    custom?: { rules: readonly string[]; sha256: string }
    /** The time in milliseconds after which no request is sent. */
    deadlineMs?: number | undefined
  }

/** The rules for one transcript. */
export type Rules = Pick<Policy, 'failOn' | 'forbidden' | 'allowed' | 'required' | 'indeterminate'>
/** Different rules for some files; a rule that is absent stays as it is. */
export type Override = Policy['overrides'][number]
/** The largest share of transcripts with an outcome or a signal. */
export type Rate = Policy['rates'][number]

const { attempts, confirmOnFail, ...ofPolicy } = defaults
export const defaultPolicy: Policy = ofPolicy

/** A policy with its defaults. With a rate of outcomes, `failOn` defaults to `none`. */
export function withDefaults({ failOn, ...rest }: Partial<Policy>): Policy {
  const hasOutcomeRate = rest.rates?.some(({ of }) => 'outcome' in of) === true
  return { ...defaultPolicy, ...rest, failOn: failOn ?? (hasOutcomeRate ? 'none' : defaultPolicy.failOn) }
}

/** A schema for what another one reads. Any text is accepted: a flag may set one that a file must not have. */
function read(schema: z.core.$ZodType): z.ZodMiniType {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (def.type === 'optional') return z.optional(read(def.innerType))
  if (def.type === 'pipe') return def.out as z.ZodMiniType
  if (def.type === 'string') return text
  const error = { error: def.error as () => string }
  if (def.type === 'array') return z.array(read(def.element), error)
  if (def.type === 'record') return z.record(z.string(), read(def.valueType), error)
  if (def.type === 'object')
    return z.object(Object.fromEntries(Object.entries(def.shape).map(([key, of]) => [key, read(of)])), error)
  return schema as z.ZodMiniType
}

function shapeInForce(): Record<string, z.ZodMiniType> {
  const { deadline, ...keys } = policySchema.shape
  const ofRules = Object.entries(keys).filter(([key]) => !(ofRun as readonly string[]).includes(key))
  const shape = ofRules.map(([key, schema]) => [key, read(key in defaults ? schema._zod.def.innerType : schema)])
  return { ...Object.fromEntries(shape), deadlineMs: read(deadline) }
}

const asObject = { error: 'expected an object' }
const asTexts = { error: 'expected a list of texts' }

/** The schema of a policy in a report; open, because a later version may add keys. */
export const policyInForce = z.object(
  {
    ...shapeInForce(),
    custom: z.exactOptional(z.object({ rules: z.array(text, asTexts), sha256: text }, asObject)),
  },
  asObject,
) as unknown as z.ZodMiniType<Policy, Policy>
