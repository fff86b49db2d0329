import { anySide, defineFormat, messagesOfCall } from '../../contract/index.js'
import { idOf } from '../../conversation/index.js'
import { asObject, isObject, type JsonObject, objectAt, textOf } from '../../json/index.js'
import { type Place, type Placed, startOfFile, within } from '../../model/index.js'

/** Results of promptfoo: a transcript for each test, prompt and provider. */
export const promptfoo = defineFormat({
  id: 'promptfoo',
  title: 'promptfoo results',
  accepts:
    '{ "evalId", "results": { "results": [{ "prompt": { "raw" }, "provider", "response": { "output" } }] } }, or such results as lines',
  signature: (value) => (isObject(value) && rowsIn(value, startOfFile).length > 0 ? 0.97 : 0),
  fields: 'results evalId promptIdx testIdx prompt provider response',
  conversations: (value, place) => {
    const rows = rowsIn(value, place)
    return rows.length === 0 ? undefined : rows.map((row) => ({ ...row, ...messagesOf(row) }))
  },
  conversation: {
    name: ['testCase.description', 'description'],
    externalId: (row, _, file) => textOf(row.id) ?? idIn(row, file),
    modelName: ['provider.id', 'provider'],
    metadata: {
      evaluation: (_, __, { evalId }) => textOf(evalId),
      test: ({ testIdx }) => idOf(testIdx),
      prompt: ({ prompt }) => (asObject(prompt).label === asObject(prompt).raw ? undefined : asObject(prompt).label),
      success: 'success',
      score: 'score',
      reason: ['gradingResult.reason', 'response.error', 'error'],
    },
  },
  shape: 'any',
  failure: ['response.error', 'error'],
  lost: ['vars', 'testCase', 'namedScores', 'metadata', 'metrics'],
  structure: 'provider label evalId promptId',
})

type Row = Placed & { value: JsonObject }

/** The results in a file, in any of its versions, or the record itself. */
function rowsIn(value: JsonObject, place: Place): Row[] {
  if (isRow(value)) return [{ value, place }]
  const isNested = isObject(value.results)
  const list = isNested ? objectAt(value, ['results']).results : value.results
  const at = isNested ? within(place, 'results', 'results') : within(place, 'results')
  if (!Array.isArray(list)) return []
  return list.flatMap((row, index) => (isObject(row) && isRow(row) ? [{ value: row, place: within(at, index) }] : []))
}

/** Results before version 3 have no indices. */
function isRow(value: JsonObject): boolean {
  if (textOf(asObject(value.prompt).raw) === undefined) return false
  return typeof value.promptIdx === 'number' || ('provider' in value && 'success' in value && 'response' in value)
}

/** The prompt and the output; a test that failed has none. */
function messagesOf({ value, place }: Row) {
  const { output } = asObject(value.response)
  if (output === undefined || output === null) return { messages: [] }
  const request = anySide(textOf(asObject(value.prompt).raw), 'user', within(place, 'prompt', 'raw'))
  return messagesOfCall({ request, response: anySide(output, 'assistant', within(place, 'response', 'output')) })
}

const idIn = ({ testIdx, promptIdx }: JsonObject, { evalId }: JsonObject): string | undefined =>
  textOf(evalId) && typeof testIdx === 'number' ? `${textOf(evalId)}:${testIdx}:${idOf(promptIdx)}` : undefined
