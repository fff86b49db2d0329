import { idOf, parseJsonText } from '../../conversation/index.js'
import { asObject, isObject, type JsonObject, textOf, wordsOf } from '../../json/index.js'
import { within } from '../../model/index.js'
import { formatOfRuns } from './run-log.js'

/** Requests with their responses as Helicone exports them. */
export const helicone = formatOfRuns({
  id: 'helicone',
  title: 'Helicone export',
  accepts: '{ "request_id", "request_created_at", "request_body", "response_body" }',
  fields: wordsOf('request_body response_body request_id'),
  structure:
    'request_id response_id response_status provider request_path country_code cost_usd model request_model response_model model_override object finish_reason',
  runsIn(value, place) {
    const [request, response] = [parseJsonText(value.request_body), parseJsonText(value.response_body)]
    if (!isObject(request) || !('response_body' in value)) return []
    const { session, id } = sessionOf(asObject(parseJsonText(value.request_properties)))
    const status = Number(idOf(value.response_status))
    const isRefused = status >= 400
    const { message } = asObject(asObject(response).error)
    return [
      {
        place,
        trace: session ?? textOf(value.request_id) ?? textOf(value.response_id) ?? `${place.record}`,
        id: textOf(value.request_id),
        conversation: id,
        kind: 'model',
        model: textOf(asObject(response).model) ?? value.response_model ?? value.request_model ?? value.model,
        error: isRefused ? (textOf(message) ?? `status ${status}`) : undefined,
        startAt: value.request_created_at,
        endAt: value.response_created_at ?? value.request_created_at,
        input: { value: value.request_body, place: within(place, 'request_body') },
        output: { value: isRefused ? undefined : value.response_body, place: within(place, 'response_body') },
        facts: { user: textOf(value.request_user_id), metadata: {} },
      },
    ]
  },
})

/** The session that a program names in a property. */
function sessionOf(properties: JsonObject): { session?: string; id?: string } {
  const session = textOf(properties['Helicone-Session-Id'] ?? properties.Session ?? properties.session)
  return session === undefined ? {} : { session, id: session }
}
