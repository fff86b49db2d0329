import { annotate, infoOf } from '../annotators/index.js'
import { Refusal } from '../refusal.js'
import type { ValidationError } from '../types.js'
import { headline, readAnnotationRequest } from '../validation/index.js'
import { type Context, type Operation, type Result, readJson } from './operation.js'

const health = ({ server }: Context): Result => ({ status: 200, body: { status: 'ok', substrate: server.substrate } })

const listAnnotators = ({ server }: Context): Result => ({
  status: 200,
  body: { annotators: server.ambiguities.listsAnnotators ? server.annotators.map(infoOf) : [] },
})

async function createAnnotation(context: Context): Promise<Result> {
  const { annotators, clock, ambiguities } = context.server
  const request = readAnnotationRequest(await readJson(context, 'annotation'))
  const annotator = annotators.find(({ id }) => id === request.annotator)
  if (annotator) return { status: 200, body: await annotate(annotator, request, clock, context.request) }
  const ids = annotators.map(({ id }) => id).join(', ')
  throw new Refusal(
    ambiguities.unknownAnnotator,
    `There is no annotator "${headline(request.annotator, 100)}"; there are: ${ids}.`,
  )
}

function createBatch(): Result {
  throw new Refusal(501, 'Batches are not implemented in version 1.')
}

function getBatch({ params }: Context): Result {
  const problem = batchIdProblem(params.batch_id)
  if (problem) throw new Refusal(422, problem.msg, { validation: [{ loc: ['path', 'batch_id'], ...problem }] })
  return createBatch()
}

function batchIdProblem(id: string | undefined): Pick<ValidationError, 'msg' | 'type'> | undefined {
  if (id === undefined) return { msg: 'String should be percent-encoded UTF-8', type: 'string_unicode' }
  if (/\p{Cc}/u.test(id))
    return { msg: 'String should not contain control characters', type: 'string_pattern_mismatch' }
  if ([...id].length > 255) return { msg: 'String should have at most 255 characters', type: 'string_too_long' }
  return undefined
}

const surface = 'annotation'
const get = { surface, method: 'GET' } as const
const post = { surface, method: 'POST' } as const

export const annotation: readonly Operation[] = [
  { ...get, id: 'health', path: '/health', open: (ambiguities) => !ambiguities.healthNeedsKey, run: health },
  {
    ...get,
    id: 'annotators.list',
    path: '/v1/annotators',
    open: (ambiguities) => !ambiguities.annotatorsNeedKey,
    run: listAnnotators,
  },
  // The only operation of this surface that declares 429.
  {
    ...post,
    id: 'annotations.create',
    path: '/v1/annotations',
    body: 'annotation',
    limits: 'provider',
    run: createAnnotation,
  },
  { ...post, id: 'batches.create', path: '/v1/batches', run: createBatch },
  { ...get, id: 'batches.get', path: '/v1/batches/{batch_id}', run: getBatch },
]
