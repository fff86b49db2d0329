import { expect } from 'chai'
import type { Answered, Ask, Trial } from './rule.js'

type More = Omit<Partial<Ask>, 'surface' | 'path'>

/** A request of the annotation surface. */
export const onA = (path: string, more: More = {}): Ask => ({ surface: 'annotation', path, ...more })
/** A request of the workspace surface. */
export const onB = (path: string, more: More = {}): Ask => ({ surface: 'workspace', path, ...more })

/** Ids of the right form that nothing has. */
export const unknownProject = 'hp-00000000-0000-4000-8000-000000000000'
export const unknownTranscript = 'tr_00000000-0000-4000-8000-000000000000'

/** The least that may be uploaded, and fields beside or in place of it. */
export const anUpload = (more: object = {}) => ({
  name: 'A conversation',
  turns: [{ role: 'user', content: 'Where is order 7?' }],
  ...more,
})

/** Some turns of a user, by their contents. */
export const saying = (...contents: string[]) => ({ turns: contents.map((content) => ({ role: 'user', content })) })

/** A new project of the workspace of a key (default: the one with full access): its record. */
export async function newProject({ ask }: Pick<Trial, 'ask'>, key?: string) {
  const answer = await ask(onB('/projects', { body: { name: 'A project' }, ...(key && { key }) }))
  expect(answer.status, answer.text).to.equal(201)
  return answer.json.data
}

/** A new transcript in a project, with fields beside or in place of the least: its record. */
export async function newTranscript({ ask }: Pick<Trial, 'ask'>, projectId: string, more: object = {}, key?: string) {
  const path = `/projects/${projectId}/transcripts`
  const answer = await ask(onB(path, { body: anUpload(more), ...(key && { key }) }))
  expect(answer.status, answer.text).to.equal(201)
  return answer.json.data
}

/** The data of an answer that has to be 200. */
export async function read({ ask }: Pick<Trial, 'ask'>, path: string, key?: string) {
  const answer = await ask(onB(path, key ? { key } : {}))
  expect(answer.status, answer.text).to.equal(200)
  return answer.json.data
}

/** The id of an annotator that the service has. */
export async function someAnnotator({ ask }: Pick<Trial, 'ask'>): Promise<string> {
  const { json } = await ask(onA('/v1/annotators'))
  return json.annotators[0].id
}

/** An annotation request that any service answers with 200, and fields beside or in place of it. */
export const anAnnotation = (annotator: string, more: object = {}) => ({
  annotator,
  transcript: [{ role: 'user', content: 'Where is order 7?' }],
  ...more,
})

/** A no of the annotation surface: `{error, detail}`, both strings. */
export function refusedOnA({ status, json, text }: Answered, expected: number): void {
  expect(status, text).to.equal(expected)
  expect(json, text).to.have.all.keys('error', 'detail')
  expect(json.error).to.be.a('string')
  expect(json.detail).to.be.a('string')
}

const types: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'authorization_error',
  404: 'not_found_error',
  413: 'invalid_request_error',
}

/** A no of the workspace surface: `error.type` by the status; 401 and 403 with the whole envelope, as the interface shows it. */
export function refusedOnB({ status, json, text }: Answered, expected: number): void {
  expect(status, text).to.equal(expected)
  expect(json?.error, text).to.be.an('object')
  if (types[expected]) expect(json.error.type).to.equal(types[expected])
  if (expected !== 401 && expected !== 403) return
  expect(json.error).to.have.all.keys('message', 'type', 'code')
  expect(json.error.message).to.be.a('string')
  expect(json.error.code).to.equal(expected)
}

/** A no in the envelope of the surface that was asked. */
export const refused = ({ surface }: Pick<Ask, 'surface'>, answer: Answered, expected: number): void =>
  surface === 'annotation' ? refusedOnA(answer, expected) : refusedOnB(answer, expected)
