import {
  anySide,
  draftsOfCall,
  eachRecord,
  type Format,
  failedRequest,
  type ReaderContext,
} from '../../contract/index.js'
import { idOf } from '../../conversation/index.js'
import { asObject, defined, isObject, type JsonObject, objectAt, textOf, wordsOf } from '../../json/index.js'
import { type ConversationDraft, type Place, type Placed, startOfFile, within } from '../../model/index.js'

/** Results of promptfoo: a transcript for each test, prompt and provider. */
export const promptfoo: Format<'promptfoo'> = {
  id: 'promptfoo',
  title: 'promptfoo results',
  accepts:
    '{ "evalId", "results": { "results": [{ "prompt": { "raw" }, "provider", "response": { "output" } }] } }, or such results as lines',
  fields: wordsOf('results evalId promptIdx testIdx prompt provider response'),
  structure: 'provider label evalId promptId',
  detect: (value) => (isObject(value) && rowsIn(value, startOfFile).length > 0 ? 0.97 : 0),
  reader: (context) =>
    eachRecord(promptfoo, context, (value, place) => {
      const rows = rowsIn(value, place)
      if (rows.length === 0) return undefined
      return rows.flatMap((row) => readRow(row.value, row.place, textOf(value.evalId), context))
    }),
}

/** The results in a file, in any of its versions, or the record itself. */
function rowsIn(value: JsonObject, place: Place): (Placed & { value: JsonObject })[] {
  if (isRow(value)) return [{ value, place }]
  const isNested = isObject(value.results)
  const list = isNested ? objectAt(value, ['results']).results : value.results
  const at = isNested ? within(place, 'results', 'results') : within(place, 'results')
  if (!Array.isArray(list)) return []
  return list.flatMap((row, index) => (isObject(row) && isRow(row) ? [{ value: row, place: within(at, index) }] : []))
}

/** Results before version 3 have no indices. */
function isRow(value: unknown): boolean {
  if (!isObject(value) || typeof asObject(value.prompt).raw !== 'string') return false
  return typeof value.promptIdx === 'number' || ('provider' in value && 'success' in value && 'response' in value)
}

const beside = wordsOf('vars testCase namedScores metadata metrics')

function readRow(
  row: JsonObject,
  place: Place,
  evaluation: string | undefined,
  context: ReaderContext,
): ConversationDraft[] {
  const { promptIdx, testIdx, success, score } = row
  const provider = asObject(row.provider)
  const grading = asObject(row.gradingResult)
  const prompt = asObject(row.prompt)
  const { output, error = row.error } = asObject(row.response)
  const id =
    textOf(row.id) ??
    (evaluation && typeof testIdx === 'number' ? `${evaluation}:${testIdx}:${idOf(promptIdx)}` : undefined)
  if (output === undefined || output === null) {
    context.account.note([row.response, row.error])
    context.skip(failedRequest(id, error), place)
    return []
  }
  const request = anySide(prompt.raw, 'user', within(place, 'prompt', 'raw'))
  const response = anySide(output, 'assistant', within(place, 'response', 'output'))
  return draftsOfCall({ request, response, place }, context, ({ losses }) => {
    losses.dropFields(row, beside)
    return {
      name: textOf(asObject(row.testCase).description) ?? textOf(row.description),
      modelName: textOf(provider.id) ?? textOf(row.provider),
      externalId: id,
      metadata: defined<JsonObject>({
        evaluation,
        test: idOf(testIdx),
        prompt: textOf(prompt.label) === prompt.raw ? undefined : textOf(prompt.label),
        success,
        score,
        reason: textOf(grading.reason) ?? textOf(error),
      }),
    }
  })
}
