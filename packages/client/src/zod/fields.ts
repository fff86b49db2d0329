import * as z from 'zod'
import { utf8Length } from '../json.js'
import type { Open } from '../types.js'
import { charactersOf, isIsoTime } from '../validation.js'

/** A loose object whose type has only the known fields, like the client's types. */
export const open = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.looseObject(shape) as unknown as z.ZodObject<Shape, z.core.$strip>

export const openEnum = <const Word extends string>(words: readonly Word[]) =>
  z.string().meta({ enum: words }) as unknown as z.ZodCustom<Open<Word>, Open<Word>>

export const openObject = z.looseObject({})

/** Any value that JSON does not drop. */
export const anyValue = z
  .unknown()
  .refine((value): boolean => !['undefined', 'function', 'symbol'].includes(typeof value), 'Expected a value')

/** Counts characters as Unicode code points: zod's `max` counts UTF-16 units. */
export const text = ({ min = 0, max }: { min?: number; max: number }) =>
  (min > 0 ? z.string().min(min) : z.string())
    .check(({ value, issues }) => {
      if ((charactersOf(value, max) ?? Infinity) > max)
        issues.push({ code: 'too_big', origin: 'string', maximum: max, inclusive: true, input: value })
    })
    .meta({ maxLength: max })

/** A UTF-16 unit has one to three bytes of UTF-8. */
const fitsIn = (bytes: number, text: string) =>
  text.length <= bytes && (text.length * 3 <= bytes || utf8Length(text) <= bytes)

export const bytes = (max: number) =>
  z.string().refine((value) => fitsIn(max, value), `Expected at most ${max} bytes of UTF-8`)

const unwritable = 'Expected what JSON can hold'

/** Checks that a body has JSON of at most `max` bytes. */
export const body =
  (max: number) =>
  ({ value, issues }: z.core.ParsePayload) => {
    const json = jsonOf(value)
    if (json !== undefined && fitsIn(max, json)) return
    const message = json === undefined ? unwritable : `Expected at most ${max} bytes of JSON`
    issues.push({ code: 'custom', input: value, message })
  }

function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

const notIso = 'Expected an ISO 8601 time'

export const jsonObject = openObject.refine((value) => jsonOf(value) !== undefined, unwritable)

export const time = z.string().refine(isIsoTime, notIso).meta({ format: 'date-time' })

/** A time in a request; a `Date` is sent as ISO 8601. */
export const timeInput = z.union([z.string().refine(isIsoTime), z.date().refine((date) => isIsoTime(date.toJSON()))], {
  error: notIso,
})
// `z.toJSONSchema` throws for a Date.
timeInput._zod.toJSONSchema = () => ({ type: 'string' })

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
/** Flattens intersections and removes `readonly`, for comparison. */
type Flat<T> = T extends (...args: never[]) => unknown
  ? T
  : T extends object
    ? { -readonly [K in keyof T]: Flat<T[K]> }
    : T

/** Does not compile unless the schema accepts the fields of `T`, each with a type that the field of `T` accepts. */
export const narrows =
  <T>() =>
  <Schema extends z.ZodType<T>>(
    schema: Schema & (Same<keyof z.output<Schema>, keyof T> extends true ? unknown : never),
  ) =>
    schema as Schema

/** Does not compile unless the schema's input and output are exactly `T`; `satisfies z.ZodType<T>` is less strict. */
export const mirrors =
  <T>() =>
  <Schema extends z.ZodType>(
    schema: Schema &
      (Same<Flat<z.output<Schema>>, Flat<T>> extends true
        ? Same<Flat<z.input<Schema>>, Flat<T>> extends true
          ? unknown
          : { takes: Flat<z.input<Schema>>; shouldTake: Flat<T> }
        : { gives: Flat<z.output<Schema>>; shouldGive: Flat<T> }),
  ): Schema =>
    schema
