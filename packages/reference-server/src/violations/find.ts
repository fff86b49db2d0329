import type { Ambiguities } from '../ambiguities/index.js'
import { bearer } from '../auth.js'
import type { IncomingRequest } from '../http-messages.js'
import type { RequestProblem } from '../journal/index.js'
import type { Refusal } from '../refusal.js'
import { type Operation, operations, queryProblem } from '../routes/index.js'
import { bodyViolations, suggestion, truncate } from '../validation/index.js'
import { isProjectId } from '../world/index.js'

/** A request with its response, as far as the check looks at it. */
export interface CheckedRequest {
  request: IncomingRequest
  /** Undefined if no operation matches. */
  operation?: Operation | undefined
  /** Path parameters, decoded. */
  params: Readonly<Record<string, string | undefined>>
  /** The body, if it was read and is JSON. */
  body?: { value: unknown } | undefined
  /** The refusal of the router for want of an operation, or of the operation itself; undefined if there is none. */
  refusal?: Refusal | undefined
}

/**
 * Find what departs from the interface in a request. It does not depend on the answer, which may be an injected fault, but for a
 * body that was refused before it was a value: its problem is the refusal.
 */
export function findProblems(checked: CheckedRequest, ambiguities: Ambiguities): RequestProblem[] {
  const { request, operation, refusal } = checked
  if (!operation) return refusal ? [noOperation(request, refusal)] : []
  const problems = [
    ...keyProblems(checked, operation, ambiguities),
    ...pathProblems(checked),
    ...queryProblems(request.query, operation),
    ...bodyProblems(checked, operation, ambiguities),
  ]
  const rest = refusalProblem(operation, refusal, problems)
  return rest ? [...problems, rest] : problems
}

/** The refusal of a path that no operation has, or of its method. */
function noOperation({ method, surface, path }: IncomingRequest, { status, message }: Refusal): RequestProblem {
  if (status === 405) return { in: 'path', name: '', problem: `${method}: ${message}` }
  const asTemplate = path.replaceAll(/\/hp-[^/]+/g, '/{projectId}').replaceAll(/\/tr_[^/]+/g, '/{transcriptId}')
  const pathsOf = (isOwn: boolean) =>
    operations.filter((each) => (each.surface === surface) === isOwn).map((each) => each.path)
  if (pathsOf(false).includes(asTemplate)) {
    const other = surface === 'workspace' ? 'annotation' : 'workspace'
    return { in: 'path', name: '', problem: `no such path on the ${surface} surface; the ${other} surface has it` }
  }
  return { in: 'path', name: '', problem: `no such path${suggestion(asTemplate, pathsOf(true))}` }
}

function keyProblems({ request }: CheckedRequest, { open }: Operation, ambiguities: Ambiguities): RequestProblem[] {
  if (open?.(ambiguities) || bearer(request.header('authorization')) !== undefined) return []
  return [{ in: 'header', name: 'authorization', problem: 'expected a key as bearer token' }]
}

function pathProblems({ params }: CheckedRequest): RequestProblem[] {
  if (!('projectId' in params) || isProjectId(params.projectId)) return []
  return [{ in: 'path', name: 'projectId', problem: 'expected the form hp-<uuid>' }]
}

function queryProblems(text: string, { query: parameters = [] }: Operation): RequestProblem[] {
  if (text === '') return []
  const query = new URLSearchParams(text)
  const unknown = [...new Set(query.keys())].filter((name) => !parameters.includes(name))
  const problems = unknown.map((name) => ({
    in: 'query' as const,
    name: truncate(name, 100),
    problem: `no such parameter${suggestion(name, parameters)}`,
  }))
  const problem = queryProblem(query, parameters)
  return problem === undefined ? problems : [...problems, { in: 'query', name: '', problem }]
}

function bodyProblems(
  { body }: CheckedRequest,
  { body: shape }: Operation,
  ambiguities: Ambiguities,
): RequestProblem[] {
  if (!body || !shape) return []
  const violations = bodyViolations(body.value, shape, ambiguities.charactersAre)
  return violations.map(({ pointer, expected }) => ({ in: 'body', name: pointer, problem: expected }))
}

const invalidInput = [400, 413, 422]

/** The refusal of invalid input, unless a problem of the same part, or of a path parameter, which is checked first, says it. */
function refusalProblem(
  { method, query }: Operation,
  refusal: Refusal | undefined,
  problems: readonly RequestProblem[],
): RequestProblem | undefined {
  if (!refusal || !invalidInput.includes(refusal.status)) return undefined
  const part = method === 'POST' ? 'body' : query ? 'query' : 'path'
  const isSaid = refusal.status !== 413 && problems.some((each) => each.in === part || each.in === 'path')
  return isSaid ? undefined : { in: part, name: '', problem: refusal.message }
}
