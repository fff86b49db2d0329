import { defineFormat, type Note, roleByFlag } from '../../contract/index.js'
import { asList, asObject, isObject, type JsonObject, textOf } from '../../json/index.js'

/** Chats of SillyTavern: a line with the facts of the chat, then a line for each message. */
export const sillyTavern = defineFormat({
  id: 'silly-tavern',
  title: 'SillyTavern chat',
  accepts: 'lines { "user_name", "character_name", "chat_metadata" }, then { "name", "is_user", "mes", "send_date" }',
  signature: {
    'chat_metadata user_name': 0.97,
    'user_name character_name create_date': 0.97,
    'name is_user mes': 0.97,
  },
  header: 'user_name character_name',
  conversation: {
    sourceTimestamp: ({ create_date: date }, note) => timeOf(date, note),
    metadata: { character: 'character_name', user: 'user_name' },
  },
  role: tavernRole,
  speaker: 'name',
  text: shownText,
  files: ({ extra }) => filesIn(asObject(extra)),
  thinking: 'extra.reasoning',
  time: ({ send_date: date }, note) => timeOf(date, note),
  model: 'extra.model',
  structure: 'send_date create_date gen_started gen_finished api integrity original_avatar force_avatar type',
})

/** A message of the program has a type. Others with `is_system` are only hidden from the model. */
function tavernRole({ is_user: isUser, is_system: isSystem, extra }: JsonObject): unknown {
  const other = isSystem === true && typeof asObject(extra).type === 'string' ? 'system' : 'assistant'
  return roleByFlag(isUser, 'user', other)
}

/** The answer that was chosen, which its list repeats. */
function shownText({ mes, swipes, swipe_id: chosen }: JsonObject, note: Note): unknown {
  if (typeof chosen === 'number' && asList(swipes)[chosen] === mes) note(mes)
  return mes
}

const filesIn = ({ image, file, media }: JsonObject): JsonObject[] =>
  [image, file, ...asList(media)].flatMap((each) => {
    if (textOf(each)) return { type: 'image', file_name: textOf(each) }
    return isObject(each) ? { type: each.type ?? 'file', file_name: each.name ?? each.url } : []
  })

const named = /^([a-z]+) (\d{1,2}), (\d{4}) (\d{1,2}):(\d\d) ?([ap])m$/i
const numbered = /^(\d{4})-(\d{1,2})-(\d{1,2}) ?@(\d{1,2})h ?(\d{1,2})m(?: ?(\d{1,2})s)?/
const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')

/** A time as its versions wrote it, such as `June 19, 2024 4:13pm` and `2024-6-19 @16h 13m 5s`, without a zone. */
function timeOf(date: unknown, note: Note): unknown {
  if (typeof date !== 'string') return date
  const [, month = '', day, year, hour, minute, half] = named.exec(date) ?? []
  const [, ...parts] = numbered.exec(date) ?? []
  if (half === undefined && parts.length === 0) return date
  note(date)
  if (half === undefined) return iso(parts)
  const hours = (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  return iso([year, months.indexOf(month.slice(0, 3).toLowerCase()) + 1, day, hours, minute])
}

function iso(parts: readonly unknown[]): string {
  const [year, month, day, hour, minute, second] = [...parts, 0].map((part) => String(part ?? 0).padStart(2, '0'))
  return `${year}-${month}-${day}T${hour}:${minute}:${second}`
}
