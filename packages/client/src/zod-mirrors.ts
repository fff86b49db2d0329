import type * as z from 'zod'

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
