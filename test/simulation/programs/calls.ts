import type { CallOptions, SvcClient, TranscriptUpload } from '@svc/client'
import type { Choices } from '../choices.js'
import type { Service } from '../service.js'
import type { RetryClass } from './call-promises.js'

/** A call of a client. */
export interface Call {
  name: string
  retryClass: RetryClass
  send(client: SvcClient, options: CallOptions): Promise<unknown>
  /** True if what it resolved to is what was asked. */
  isTrue(value: unknown): boolean
  /** The text that tells its record apart, of a write. */
  stores?: string
}

export const idOf = (value: unknown): string | undefined => Object(value).id ?? Object(Object(value).data).id

const kinds = [
  'upload',
  'annotate',
  'get',
  'upload as JSON',
  'list',
  'create a project',
  'annotators',
  'batch',
  'post',
  'legacy upload',
  'legacy session',
  'health',
] as const

/** The calls of a run. */
export function drawCalls(run: string, choices: Choices, service: Service): Call[] {
  const count = 1 + choices.oneOf(9, 0.1)
  const calls: Call[] = []
  for (let i = 0; i < count; i++) {
    const name = `${run} call ${i}`
    const before = calls.at(-1)
    // Two equal writes of one client are two records.
    const isEqual = before?.retryClass === 'write' && choices.chance(0.15)
    calls.push(isEqual ? { ...before, name } : { name, ...drawCall(name, choices, service) })
  }
  return calls
}

function drawCall(text: string, choices: Choices, service: Service): Omit<Call, 'name'> {
  const kind = choices.pick(kinds, 0.2)
  const turns = [{ role: 'user' as const, content: text }]
  const transcript: TranscriptUpload = { name: 'T', turns }
  const { project } = service
  const stored = (value: unknown) => service.server.world.transcript(idOf(value) ?? '')
  const isStored = (value: unknown) => stored(value)?.turns[0]?.content === text
  const isProject = (value: unknown) => service.server.world.project(idOf(value) ?? '')?.record.name === text
  const upload = { retryClass: 'write', stores: text, isTrue: isStored } as const
  const annotationOf = (value: unknown) => Object(Object(value).signals).unanswered_user_turn
  switch (kind) {
    case 'upload':
      return { ...upload, send: (client, options) => client.transcripts.upload(project, transcript, options) }
    case 'upload as JSON': {
      const json = JSON.stringify(transcript)
      return { ...upload, send: (client, options) => client.transcripts.uploadJson(project, json, options) }
    }
    case 'create a project':
      return {
        ...{ retryClass: 'write', stores: text, isTrue: isProject },
        send: (client, options) => client.projects.create({ name: text }, options),
      }
    case 'annotate':
      return {
        retryClass: 'compute',
        isTrue: (value) => annotationOf(value)?.evidence === text,
        send: (client, options) => client.annotations.create({ transcript: turns, annotator: 'structural' }, options),
      }
    case 'get':
      return {
        retryClass: 'read',
        isTrue: (value) => idOf(value) === project,
        send: (client, options) => client.projects.get(project, options),
      }
    case 'list':
      return {
        retryClass: 'read',
        isTrue: (value) => (value as { data: object[] }).data.every(stored),
        send: (client, options) => client.transcripts.list(project, {}, options),
      }
    case 'annotators':
      return {
        retryClass: 'read',
        // The registry may list none.
        isTrue: (value) => (value as { id: string }[]).every(({ id }) => ['structural', 'patterns'].includes(id)),
        send: (client, options) => client.annotators.list(options),
      }
    case 'health':
      return {
        retryClass: 'read',
        isTrue: (value) => Object(value).status === 'ok',
        send: (client, options) => client.health(options),
      }
    case 'batch':
      return { retryClass: 'batch', isTrue: () => false, send: (client, options) => client.batches.create({}, options) }
    case 'post':
      return {
        ...{ retryClass: 'legacy', stores: text },
        // A 201 may come without a body.
        isTrue: (value) => idOf(value) === undefined || isProject(value),
        send: (client, options) => client.request('workspace', 'POST', '/projects', { body: { name: text } }, options),
      }
    case 'legacy upload':
      return {
        ...{ retryClass: 'legacy', stores: text, isTrue: isStored },
        send: (client, options) => client.legacy.createTranscript({ projectId: project, ...transcript }, options),
      }
    case 'legacy session':
      return {
        ...{ retryClass: 'legacy', stores: text, isTrue: isProject },
        send: (client, options) => client.legacy.createSession({ name: text }, options),
      }
  }
}
