import { hash } from 'node:crypto'

/** SHA-256 in hex. */
export const digestOf = (value: string | object): string =>
  hash('sha256', typeof value === 'string' ? value : JSON.stringify(value))

/** Some fields of an object, in this order, without those that are undefined. */
export const pick = <Of extends object, Field extends keyof Of>(of: Of, fields: readonly Field[]): Pick<Of, Field> =>
  Object.fromEntries(fields.flatMap((field) => (of[field] === undefined ? [] : [[field, of[field]]]))) as Pick<
    Of,
    Field
  >

export const tallyOf = <Word extends string>(words: readonly Word[], values: readonly (Word | null)[]) =>
  Object.fromEntries(words.map((word) => [word, values.filter((each) => each === word).length])) as Record<Word, number>

/** The sum of the numbers of each name, sorted by name. */
export function addedUp(counts: readonly (readonly [name: string, n: number])[]): Record<string, number> {
  const sums = new Map<string, number>()
  for (const [name, n] of counts) sums.set(name, (sums.get(name) ?? 0) + n)
  return Object.fromEntries([...sums].sort(([a], [b]) => (a < b ? -1 : 1)))
}
