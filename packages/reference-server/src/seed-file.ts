import { uploadFields } from './bodies.js'
import type { NewKey } from './records.js'
import type { Seed, SeedProject } from './seed.js'
import {
  anyObject,
  boolean,
  check,
  describe,
  isObject,
  list,
  measures,
  object,
  oneOf,
  type Shape,
  string,
  text,
} from './shape.js'

type Fields = Readonly<Record<string, Shape>>

/** An object with these fields and no others: a name that is written wrong is said, and not passed over. */
function closed(required: Fields, optional: Fields): Shape {
  const open = object(required, optional)
  const names = [...Object.keys(required), ...Object.keys(optional)]
  return (value, out) => {
    open(value, out)
    if (!isObject(value)) return
    for (const name of Object.keys(value)) {
      if (!names.includes(name)) out.push({ pointer: `/${name}`, expected: `no such field: ${names.join(', ')}` })
    }
  }
}

/** What a header can carry after `Bearer `. */
const keyText: Shape = (value, out) => {
  if (typeof value === 'string' && /^[!-~]+$/.test(value)) return
  out.push({ pointer: '', expected: 'expected letters, digits and signs of ASCII without a space' })
}

const characters = measures['code points']
const named = text(1, 500, characters)
const upload = uploadFields(characters)

const keyFields: Fields = {
  workspace: string,
  permissions: list(oneOf(['projects-read', 'projects-write', 'halfpipe-transcripts-write'])),
  surfaces: list(oneOf(['annotation', 'workspace'])),
  revoked: boolean,
}

const transcript = closed(upload.required, {
  ...upload.optional,
  id: string,
  annotations: anyObject,
  processing_status: oneOf(['queued', 'skipped', 'error']),
})

const projectFields: Fields = {
  id: string,
  workspace: string,
  domain: oneOf(['general', 'ai_coding']),
  extra: anyObject,
  transcripts: list(transcript),
}

const key = closed({}, { ...keyFields, key: keyText })
const project = closed({ name: named }, projectFields)
const seed = closed(
  {},
  { workspaces: list(named, 1), keys: list(closed({ key: keyText }, keyFields)), projects: list(project) },
)

/** Reads a seed from JSON; throws an Error with a pointer to everything that is wrong in it. */
export const readSeed = (value: unknown): Seed => read(value, seed, 'The seed') as Seed

/** Reads what a key is made with. */
export const readNewKey = (value: unknown): NewKey => read(value, key, 'The key') as NewKey

/** Reads what a project is made with, its transcripts too. */
export const readNewProject = (value: unknown): SeedProject => read(value, project, 'The project') as SeedProject

function read(value: unknown, shape: Shape, what: string): unknown {
  const violations = check(value, shape)
  if (violations.length > 0) throw new Error(`${what} cannot be read: ${describe(violations)}.`)
  return value
}
