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

/** How often each of these words was found. */
export const tallyOf = <Word extends string>(words: readonly Word[], found: readonly (Word | null)[]) =>
  Object.fromEntries(words.map((word) => [word, found.filter((each) => each === word).length])) as Record<Word, number>
