import * as z from 'zod'
import { utf8Length } from '../json.js'
import type { Open } from '../types.js'
import { isIsoTime } from '../validation/index.js'

/**
 * A record that keeps the fields that it does not know: a service may add some, and an upload may carry some. The type
 * names the known ones only, as the client's own types do.
 */
export const open = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.looseObject(shape) as unknown as z.ZodObject<Shape, z.core.$strip>

/** A word of an answer: the listed ones are known, and any other is taken, because a later service may have more. */
export const openEnum = <const Word extends string>(words: readonly Word[]) =>
  z.string().meta({ enum: words }) as unknown as z.ZodCustom<Open<Word>, Open<Word>>

/** An object whose fields the interface does not show. */
export const openObject = z.looseObject({})

/** A value that the interface does not show, and that has to be there: JSON drops these kinds. */
export const anyValue = z
  .unknown()
  .refine((value): boolean => !['undefined', 'function', 'symbol'].includes(typeof value), 'Expected a value')

/** A text of so many characters. They are Unicode code points: zod's own `max` counts an emoji as two. */
export const text = ({ min = 0, max }: { min?: number; max: number }) =>
  (min > 0 ? z.string().min(min) : z.string())
    .check(({ value, issues }) => {
      const fits = value.length <= max || (value.length <= max * 2 && [...value].length <= max)
      if (!fits) issues.push({ code: 'too_big', origin: 'string', maximum: max, inclusive: true, input: value })
    })
    .meta({ maxLength: max })

/** Whether a text is at most so many bytes of UTF-8, of which a UTF-16 unit takes one to three. */
const fitsIn = (bytes: number, text: string) =>
  text.length <= bytes && (text.length * 3 <= bytes || utf8Length(text) <= bytes)

/** A text of at most so many bytes of UTF-8. */
export const bytes = (max: number) =>
  z.string().refine((value) => fitsIn(max, value), `Expected at most ${max} bytes of UTF-8`)

const unwritable = 'Expected what JSON can hold'

/** A check of a whole body: it can be written as JSON, in at most so many bytes. */
export const body =
  (max: number) =>
  ({ value, issues }: z.core.ParsePayload) => {
    const json = jsonOf(value)
    if (json !== undefined && fitsIn(max, json)) return
    const message = json === undefined ? unwritable : `Expected at most ${max} bytes of JSON`
    issues.push({ code: 'custom', input: value, message })
  }

/** Circular references and BigInts have no JSON, and neither has what is longer than a string can be. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

const notIso = 'Expected an ISO 8601 time'

/** An object that is sent, whose fields the interface does not show. */
export const jsonObject = openObject.refine((value) => jsonOf(value) !== undefined, unwritable)

/** A time in an answer. */
export const time = z.string().refine(isIsoTime, notIso).meta({ format: 'date-time' })

/** A time that is sent: a `Date` becomes ISO 8601 on the way. */
export const timeInput = z.union([z.string().refine(isIsoTime), z.date().refine((date) => isIsoTime(date.toJSON()))], {
  error: notIso,
})
// JSON has no dates, and `z.toJSONSchema` would throw for one.
timeInput._zod.toJSONSchema = () => ({ type: 'string' })

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
/** An intersection written out as one object. What is parsed is one's own, so `readonly` is no difference. */
type Flat<T> = T extends (...args: never[]) => unknown
  ? T
  : T extends object
    ? { -readonly [K in keyof T]: Flat<T[K]> }
    : T

/**
 * Lets a schema through only if it takes and gives exactly `T`: a forgotten optional key, an `| undefined` too many or
 * a narrower enum does not compile, which a plain `satisfies z.ZodType<T>` would not see.
 */
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
