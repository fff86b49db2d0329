import {
  anyObject,
  boolean,
  closed,
  distinct,
  expecting,
  isoDate,
  list,
  oneOf,
  reader,
  string,
  text,
  uploadFields,
  type Validator,
  wholeNumber,
} from '../validation/index.js'
import { isProjectId } from './ids.js'
import type { NewKey, NewProject, NewTranscript } from './records.js'

/** The key with full access of a server whose seed has no keys. */
export const referenceKey = 'sk-service-api03-reference'

/** The workspace of a server whose seed has none. */
export const referenceWorkspace = 'reference'

/** The records of a server at its start. */
export interface WorldSeed {
  /** Names of workspaces. The first is the default of keys and projects. Default: `['reference']`. */
  workspaces?: readonly string[]
  /** Default: one key, `referenceKey`, with full access to the first workspace. */
  keys?: readonly (NewKey & { key: string })[]
  /** In the order of creation. */
  projects?: readonly SeedProject[]
}

/** A project of a seed, with its transcripts. */
export type SeedProject = NewProject & {
  /** In the order of creation. Default: none. */
  transcripts?: readonly NewTranscript[]
}

/** The characters that a header can carry after `Bearer `. */
const keyText = expecting(
  'expected letters, digits and signs of ASCII without a space',
  (value) => typeof value === 'string' && /^[!-~]+$/.test(value),
)
const projectId = expecting('expected the form hp-<uuid>', isProjectId)
const transcriptId = expecting(
  'expected an id that begins with tr_',
  (value) => typeof value === 'string' && value.startsWith('tr_'),
)
const name = text(1, 500, 'code points')
const upload = uploadFields('code points')

const keyFields = {
  name,
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
  analysed: boolean,
  model: closed({ inMs: wholeNumber(), annotations: anyObject }),
  created_at: isoDate,
  ageMs: wholeNumber(0),
  lags: boolean,
})
const project = closed(
  { name },
  {
    id: projectId,
    workspace: string,
    domain: oneOf(['general', 'ai_coding']),
    extra: anyObject,
    created_at: isoDate,
    updated_at: isoDate,
    ageMs: wholeNumber(0),
    transcripts: list(transcript),
  },
)
/** The fields of a seed with the records; `distinctRecords` checks how they fit together. */
export const recordFields = {
  workspaces: list(name, 1),
  keys: list(closed({ key: keyText }, keyFields)),
  projects: list(project),
}

export const distinctRecords: Validator = (value, out) => {
  const { workspaces = [referenceWorkspace], keys = [], projects = [] } = value as WorldSeed
  for (const [field, items] of Object.entries({ keys, projects })) {
    for (const [i, { workspace }] of items.entries()) {
      if (workspace === undefined || workspaces.includes(workspace)) continue
      const expected = `expected one of the workspaces of the seed: ${workspaces.join(', ')}`
      out.push({ pointer: `/${field}/${i}/workspace`, expected })
    }
  }
  distinct(new Map(keys.map(({ key }, i) => [`/keys/${i}/key`, key])), out)
  distinct(new Map(projects.map(({ id }, i) => [`/projects/${i}/id`, id])), out)
  const transcriptIds = projects.flatMap(({ transcripts = [] }, i) =>
    transcripts.map(({ id }, j) => [`/projects/${i}/transcripts/${j}/id`, id] as const),
  )
  distinct(new Map(transcriptIds), out)
}

export const readNewKey = reader<NewKey>('key', closed({}, { ...keyFields, key: keyText }))

export const readNewProject = reader<SeedProject>('project', project)

export const readNewTranscript = reader<NewTranscript>('transcript', transcript)
