import {
  anyObject,
  boolean,
  check,
  closed,
  describeViolations,
  distinct,
  expecting,
  type Fields,
  list,
  measures,
  oneOf,
  string,
  text,
  uploadFields,
  type Validator,
} from '../validation/index.js'
import { isProjectId } from './ids.js'
import type { NewKey, NewProject, NewTranscript } from './records.js'

/** The key with full access that every server has unless its seed names keys of its own. */
export const referenceKey = 'sk-service-api03-reference'

/** The workspace of whatever a seed gives none. */
export const referenceWorkspace = 'reference'

/** What a server knows when it starts. */
export interface Seed {
  /** Names of workspaces. The first is the one of whatever names none. Default: `['reference']`. */
  workspaces?: readonly string[]
  /** Default: one key, `referenceKey`, with full access to the first workspace. */
  keys?: readonly (NewKey & { key: string })[]
  /** In the order of their making. */
  projects?: readonly SeedProject[]
}

/** A project of a seed, with its transcripts. */
export type SeedProject = NewProject & {
  /** In the order of their making. Default: none. */
  transcripts?: readonly NewTranscript[]
}

/** What a header can carry after `Bearer `. */
const keyText = expecting(
  'expected letters, digits and signs of ASCII without a space',
  (value) => typeof value === 'string' && /^[!-~]+$/.test(value),
)
const projectId = expecting('expected the form hp-<uuid>', isProjectId)
const transcriptId = expecting(
  'expected an id that begins with tr_',
  (value) => typeof value === 'string' && value.startsWith('tr_'),
)

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
  id: transcriptId,
  annotations: anyObject,
  processing_status: oneOf(['queued', 'skipped', 'error']),
})

const projectFields: Fields = {
  id: projectId,
  workspace: string,
  domain: oneOf(['general', 'ai_coding']),
  extra: anyObject,
  transcripts: list(transcript),
}

const key = closed({}, { ...keyFields, key: keyText })
const project = closed({ name: named }, projectFields)
const seedFields = closed(
  {},
  { workspaces: list(named, 1), keys: list(closed({ key: keyText }, keyFields)), projects: list(project) },
)

/** A seed: its fields, then what they say of each other. */
export const seed: Validator = (value, out) => {
  seedFields(value, out)
  if (out.length > 0) return
  const { workspaces = [referenceWorkspace], keys = [], projects = [] } = value as Seed
  const places = { keys, projects }
  for (const [name, items] of Object.entries(places)) {
    for (const [i, { workspace }] of items.entries()) {
      if (workspace === undefined || workspaces.includes(workspace)) continue
      const expected = `expected one of the workspaces of the seed: ${workspaces.join(', ')}`
      out.push({ pointer: `/${name}/${i}/workspace`, expected })
    }
  }
  distinct(
    keys.map(({ key }, i) => [`/keys/${i}/key`, key]),
    out,
  )
  distinct(
    projects.map(({ id }, i) => [`/projects/${i}/id`, id]),
    out,
  )
  distinct(
    projects.flatMap(({ transcripts = [] }, i) =>
      transcripts.map(({ id }, j) => [`/projects/${i}/transcripts/${j}/id`, id] as const),
    ),
    out,
  )
}

/** Reads a seed from JSON; throws an Error with a pointer to everything that is wrong in it. */
export const readSeed = (value: unknown): Seed => read(value, seed, 'The seed') as Seed

/** Reads what a key is made with. */
export const readNewKey = (value: unknown): NewKey => read(value, key, 'The key') as NewKey

/** Reads what a project is made with, its transcripts too. */
export const readNewProject = (value: unknown): SeedProject => read(value, project, 'The project') as SeedProject

function read(value: unknown, shape: Validator, what: string): unknown {
  const violations = check(value, shape)
  if (violations.length > 0) throw new Error(`${what} cannot be read: ${describeViolations(violations)}.`)
  return value
}
