import { type KeyName, type Listed, placed, type Step, type Uploaded } from './model-steps.js'

interface Key {
  workspace: 'ours' | 'theirs'
  may: readonly ('read' | 'write')[]
  state: 'active' | 'revoked' | 'deleted'
}
interface Project {
  id: string
  workspace: Key['workspace']
  name: string
  at: number
  transcripts: Transcript[]
}
interface Transcript extends Uploaded {
  id: string
  workspace: Key['workspace']
  at: number
}

/** The parts of an answer that the model predicts; times are milliseconds since the epoch. */
export interface Reported {
  status: number
  record?: object
  list?: object[]
  pagination?: object
}

const both = ['read', 'write'] as const
const dayMs = 24 * 60 * 60 * 1000

/** A simple model of the service, from the description of its interface alone. */
export class Model {
  readonly projects: Project[] = []
  readonly transcripts: Transcript[] = []
  #now: number
  readonly #keys: Record<KeyName, Key> = {
    full: { workspace: 'ours', may: both, state: 'active' },
    reader: { workspace: 'ours', may: ['read'], state: 'active' },
    writer: { workspace: 'ours', may: ['write'], state: 'active' },
    legacy: { workspace: 'ours', may: ['write'], state: 'active' },
    foreign: { workspace: 'theirs', may: both, state: 'active' },
  }

  /** Begins at a time. */
  constructor(now: number) {
    this.#now = now
  }

  /** Takes a step and tells its answer; `id` is the one that the service has given to what the step makes. */
  take(step: Step, id: string): Reported | undefined {
    if (step.do === 'wait') {
      this.#now += step.ms
      return undefined
    }
    const key = this.#keys[step.key]
    if (step.do === 'revoke' || step.do === 'restore' || step.do === 'delete') return turn(key, step.do)
    if (step.do === 'annotate') return { status: { active: 200, revoked: 403, deleted: 401 }[key.state] }
    if (key.state !== 'active') return { status: 401 }
    const needed = step.do === 'create project' || step.do === 'upload' ? 'write' : 'read'
    if (!key.may.includes(needed)) return { status: 403 }
    if (step.do === 'create project') return this.#create(step.name, key.workspace, id)
    if (step.do === 'upload') return this.#upload(step.upload, placed(this.projects, step.project), key.workspace, id)
    return this.#read(step, key.workspace)
  }

  #create(name: string, workspace: Key['workspace'], id: string): Reported {
    if (name === '') return { status: 400 }
    const project = { id, workspace, name, at: this.#now, transcripts: [] }
    this.projects.push(project)
    return { status: 201, record: shownProject(project) }
  }

  #upload(upload: Uploaded, project: Project | undefined, workspace: Key['workspace'], id: string): Reported {
    if (upload.name === '' || upload.contents.length === 0) return { status: 400 }
    if (!project) return { status: 404 }
    if (project.workspace !== workspace) return { status: 403 }
    const transcript = { ...upload, id, workspace, at: this.#now }
    this.transcripts.push(transcript)
    project.transcripts.push(transcript)
    return { status: 201, record: shownTranscript(transcript) }
  }

  #read(step: Extract<Step, { do: `list ${string}` | `read ${string}` }>, workspace: Key['workspace']): Reported {
    const visible = <T extends { workspace: string }>(it: T | undefined) =>
      it?.workspace === workspace ? it : undefined
    if (step.do === 'list projects') {
      const ours = this.projects.filter((project) => project.workspace === workspace)
      return page(ours, shownProject, step.query)
    }
    if (step.do === 'read transcript') {
      const transcript = visible(placed(this.transcripts, step.transcript))
      if (!transcript) return { status: 404 }
      return { status: 200, record: { ...shownTranscript(transcript), contents: [...transcript.contents] } }
    }
    const project = visible(placed(this.projects, step.project))
    if (step.do === 'read project') return project ? { status: 200, record: shownProject(project) } : { status: 404 }
    if (![step.query.date_from, step.query.date_to].every(isBound)) return { status: 400 }
    const found = project?.transcripts.filter((transcript) => passes(transcript, step.query))
    return page(found, shownTranscript, step.query)
  }
}

function turn(key: Key, how: 'revoke' | 'restore' | 'delete'): undefined {
  if (key.state !== 'deleted') key.state = ({ revoke: 'revoked', restore: 'active', delete: 'deleted' } as const)[how]
}

const shownProject = ({ id, name, at, transcripts }: Project) => ({
  id,
  name,
  transcript_count: transcripts.length,
  latest_transcript_at: transcripts.at(-1)?.at ?? null,
  created_at: at,
  updated_at: transcripts.at(-1)?.at ?? at,
})

const shownTranscript = ({ id, name, contents, language, sourceTimestamp, process, at }: Transcript) => ({
  id,
  name,
  language: language ?? null,
  turn_count: contents.length,
  user_turn_count: contents.length,
  assistant_turn_count: 0,
  source_timestamp: sourceTimestamp === undefined ? null : Date.parse(sourceTimestamp),
  created_at: at,
  processing_status: process === false ? 'skipped' : 'queued',
})

/** A page of what there is, newest first; 400 for one that cannot be, 404 where there is no list. */
function page<T extends { id: string; at: number }>(
  all: readonly T[] | undefined,
  shown: (item: T) => object,
  { page = 1, limit = 20 }: Listed,
): Reported {
  if (page < 1 || limit < 1 || limit > 100) return { status: 400 }
  if (!all) return { status: 404 }
  const newestFirst = [...all].sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1))
  const list = newestFirst.filter((_, i) => Math.floor(i / limit) === page - 1).map(shown)
  return { status: 200, list, pagination: { page, limit, total: all.length } }
}

const isBound = (text: string | undefined) => text === undefined || !Number.isNaN(Date.parse(text))

function passes({ contents, language, sourceTimestamp }: Transcript, query: Listed): boolean {
  const said = contents.join('\n').toLowerCase()
  const words = (query.q ?? '').toLowerCase().split(' ')
  if (!words.every((word) => said.includes(word))) return false
  if (query.language !== undefined && query.language !== language) return false
  if (query.date_from === undefined && query.date_to === undefined) return true
  // Without a time no comparison holds.
  const at = Date.parse(sourceTimestamp ?? '')
  const from = query.date_from === undefined || at >= Date.parse(query.date_from)
  return from && (query.date_to === undefined || at <= endOf(query.date_to))
}

const endOf = (bound: string) => Date.parse(bound) + (bound.includes('T') ? 0 : dayMs - 1)
