import { type Exchange, NotTried } from '../service.js'
import { annotationOf, fieldsOf, idsOf, onA, onB } from '../trial.js'
import type { Questions, Survey } from './question.js'

/** True or false by the status of an answer; any other status shows neither. */
function byStatus({ status }: { status: number }, isTrue: number, isFalse: number): boolean {
  if (status === isTrue || status === isFalse) return status === isTrue
  throw new NotTried(`the answer was ${status}`)
}

async function separateKeys({ trial }: Survey): Promise<boolean> {
  const [annotation, workspace] = [trial.key('annotation'), trial.key('workspace')]
  if (annotation === workspace) throw new NotTried('it needs a key of each surface')
  for (const [request, key] of [
    [onA('/v1/batches/b'), workspace],
    [onB('/projects?limit=1'), annotation],
  ] as const) {
    const expected = request.surface === 'annotation' ? 501 : 200
    if ((await trial.ask(request)).status !== expected) throw new NotTried('a key is not accepted on its own surface')
    if (byStatus(await trial.ask({ ...request, key }), 401, expected)) return true
  }
  throw new NotTried('both keys are accepted on both surfaces')
}

async function foreignList403({ trial }: Survey): Promise<boolean> {
  const key = trial.key('foreign')
  const [id] = idsOf(await trial.ask(onB('/projects?limit=1', { key })))
  if (typeof id !== 'string') throw new NotTried('the other workspace has no project')
  if ((await trial.ask(onB(`/projects/${id}`))).status === 200) throw new NotTried('both keys are of one workspace')
  return byStatus(await trial.ask(onB(`/projects/${id}/transcripts`)), 403, 404)
}

async function unknownAnnotator({ trial }: Survey): Promise<404 | 422> {
  const { status } = await trial.ask(onA('/v1/annotations', { body: annotationOf(`none-${trial.word()}`) }))
  if (status === 404 || status === 422) return status
  throw new NotTried(`an unknown annotator was answered with ${status}`)
}

async function listsAnnotators({ trial }: Survey): Promise<boolean> {
  const { annotators } = fieldsOf((await trial.ask(onA('/v1/annotators'))).json)
  if (!Array.isArray(annotators)) throw new NotTried('the registry has another form')
  return annotators.length > 0
}

/** The one value that all answers of the run show. */
function common<Value>(values: readonly Value[], what: string): Value {
  const [first, ...others] = new Set(values)
  if (first === undefined) throw new NotTried('no answer shows it')
  if (others.length > 0) throw new NotTried(`${what} differ from answer to answer`)
  return first
}

type ErrorBody = 'envelope' | 'detail' | 'message' | 'text' | 'html'

/** False for an answer that may be of a gateway before the service. */
const isOwn = ({ status }: { status: number }) => status !== 429 && (status < 500 || status === 501)

/** The form of an error; undefined if it is none, or one of a form of its own. */
function errorForm({ surface, path, answer }: Exchange): ErrorBody | 'another' | undefined {
  if (!answer || !isOwn(answer) || answer.status < 400 || answer.text === '') return undefined
  // HTTPValidationError is declared there.
  if (answer.status === 422 && path.startsWith('/v1/batches/')) return undefined
  const type = answer.headers['content-type'] ?? ''
  if (/\bhtml\b/i.test(type)) return 'html'
  if (/^text\/plain\b/i.test(type)) return 'text'
  const body = jsonFields(answer.text)
  if (surface === 'annotation' ? 'error' in body && 'detail' in body : 'type' in fieldsOf(body.error)) return 'envelope'
  const [name, ...others] = Object.keys(body)
  return others.length === 0 && (name === 'detail' || name === 'message') ? name : 'another'
}

function jsonFields(text: string) {
  try {
    return fieldsOf(JSON.parse(text))
  } catch {
    return {}
  }
}

type AccessName =
  | 'annotatorsNeedKey'
  | 'healthNeedsKey'
  | 'listsAnnotators'
  | 'separateKeys'
  | 'foreignList403'
  | 'legacy'
  | 'unknownAnnotator'

export const accessQuestions: Questions<AccessName> = {
  annotatorsNeedKey: async ({ trial }) => byStatus(await trial.ask(onA('/v1/annotators', { key: null })), 401, 200),
  healthNeedsKey: async ({ trial }) => byStatus(await trial.ask(onA('/health', { key: null })), 401, 200),
  listsAnnotators,
  separateKeys,
  foreignList403,
  legacy: ({ trial }) => trial.hasLegacy(),
  unknownAnnotator,
}

/** Read from all answers of a run, so they are asked last. */
export const answerQuestions: Questions<'dateHeader' | 'errorBody'> = {
  async dateHeader({ trial }) {
    const answers = trial.settings.service.exchanges.flatMap(({ answer }) => answer ?? [])
    return common(
      answers.filter(isOwn).map(({ headers }) => headers.date !== undefined),
      'the headers',
    )
  },
  async errorBody({ trial }) {
    const forms = trial.settings.service.exchanges.flatMap((exchange) => errorForm(exchange) ?? [])
    const form = common(forms, 'the bodies of errors')
    if (form === 'another') throw new NotTried('the bodies of errors have another form')
    return form
  },
}
