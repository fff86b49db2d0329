import * as z from 'zod/mini'
import { placeNames, settingNames } from '../settings.js'

const text = z
  .string({ error: 'expected a text in quotes' })
  .check(z.minLength(1, { error: 'expected a text, found an empty one' }))

const textsOf = <Name extends string>(names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, z.optional(text)])) as Record<Name, z.ZodMiniOptional<typeof text>>

/** `seen`: the saved service from which the settings of the service come. */
const profile = z.strictObject({ ...textsOf(settingNames), seen: z.optional(text) }, { error: wrong })

export const userShape = z.strictObject(
  {
    schema: z.literal('svc/config@1', {
      error: 'expected "svc/config@1"; another version of svc may have written this',
    }),
    profile: z.optional(text),
    profiles: z.optional(z.record(z.string(), profile, { error: 'expected an object of profiles by name' })),
    trusted: z.optional(z.record(z.string(), text, { error: 'expected an object of hashes by path' })),
  },
  { error: wrong },
)

const texts = z
  .array(text, { error: 'expected a list of texts' })
  .check(z.minLength(1, { error: 'expected at least one text' }))

/** How files that match a pattern are read. */
const readingRule = z.strictObject(
  {
    files: texts,
    map: z.optional(
      z.record(z.string(), z.string({ error: 'expected a text in quotes' }), {
        error: 'expected an object of columns by field',
      }),
    ),
    importer: z.optional(texts),
  },
  { error: wrong },
)

export const projectShape = z.strictObject(
  {
    $schema: z.optional(text),
    ...textsOf(placeNames),
    reading: z.optional(z.array(readingRule, { error: 'expected a list of objects' })),
    exclude: z.optional(z.array(text, { error: 'expected a list of texts' })),
  },
  { error: wrong },
)

export type Profile = z.infer<typeof profile>
export type UserSettings = z.infer<typeof userShape>
export type ProjectSettings = z.infer<typeof projectShape>

/** Unknown names are reported one by one, each with its place, by `checked`. */
function wrong({ code }: { code?: string }): string {
  return code === 'unrecognized_keys' ? 'unknown name' : 'expected an object'
}

export const namesAt = {
  user: (path: readonly PropertyKey[]): string[] =>
    Object.keys(path[0] === 'profiles' && path.length === 2 ? profile.shape : userShape.shape),
  project: (path: readonly PropertyKey[]): string[] =>
    Object.keys(path[0] === 'reading' && path.length === 2 ? readingRule.shape : projectShape.shape),
}
