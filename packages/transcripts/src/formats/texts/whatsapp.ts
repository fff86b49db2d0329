import {
  defineTextFormat,
  type LineMeaning,
  type LineMeaningOf,
  readerOfMessages,
  readerOfSample,
} from '../../contract/index.js'
import { reasons } from '../../model/index.js'
import { DateOrder, type DayNumbers } from './date-order.js'
import { mayBeName } from './labels.js'

/** Marks of direction, which stand before times, names and texts of WhatsApp itself. */
const marks = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
const leadingMarks = new RegExp(`^(?:${marks.source})+`)
const longestStamp = 48
const day = String.raw`(?<a>\d{1,4})(?<separator>[./-]) ?(?<b>\d{1,2})\k<separator> ?(?<c>\d{2,4})\.?(?<comma>[,،]| à| um| at)?`
const clock = String.raw`(?<before>上午|下午|午前|午後|오전|오후)?\s?(?<hour>\d{1,2})[:.](?<minute>\d\d)(?:[:.](?<second>\d\d))?`
/** The ends of a time: behind brackets, before a name, and in older versions a colon. */
const ends = { bracket: /\] /, dash: / [-–—] /, colon: /(?<=\d\d|[mM]\.?): / }
const stampPattern = new RegExp(String.raw`^${day}\s+${clock}(?:\s?(?<half>[ap])\.?\s?m\.?)?$`, 'iu')

interface Stamp extends DayNumbers {
  /** The time of the day. */
  clock: string
  /** False if a log may begin its lines in this way, too. */
  isCertain: boolean
  text: string
}

/** Chats of WhatsApp, exported as text. */
export const whatsapp = defineTextFormat({
  id: 'whatsapp',
  title: 'WhatsApp chat',
  accepts: 'lines "DATE, TIME - NAME: TEXT" or "[DATE, TIME] NAME: TEXT", and lines that continue them',
  detect(lines) {
    const stamps = lines.flatMap((line) => stampOf(line) ?? [])
    const speakers = stamps.flatMap(({ text }) => messageIn(text)?.speaker ?? [])
    const isChat = stampOf(lines[0] ?? '') && speakers.filter(mayBeName).length * 2 > speakers.length
    const isMarked = lines.some((line) => line.includes('\u200e'))
    // The names of programs in a log are usually one word in lower case, and always the same.
    const isOfPeople = new Set(speakers).size > 1 && speakers.every((name) => /^[^\p{Ll}]/u.test(name))
    return isChat && (isMarked || isOfPeople || stamps.every(({ isCertain }) => isCertain)) ? 0.95 : 0
  },
  reader(context) {
    const order = new DateOrder()
    const add = (line: string) => {
      const stamp = stampOf(line)
      if (stamp) order.add(stamp)
      return order.isKnown ? lineMeanings(order) : undefined
    }
    return readerOfSample(context, { add, end: () => lineMeanings(order) }, (meaningOf) =>
      readerOfMessages(context, meaningOf),
    )
  },
})

function stampOf(line: string): Stamp | undefined {
  const start = line.slice(0, longestStamp + 8)
  const isBracketed = /^[\u200e\u200f]*\[/.test(start)
  const dash = isBracketed ? null : ends.dash.exec(start)
  const end = isBracketed ? ends.bracket.exec(start) : (dash ?? ends.colon.exec(start))
  const head = start.slice(isBracketed ? start.indexOf('[') + 1 : 0, end?.index ?? 0).replace(marks, '')
  const found = stampPattern.exec(head)?.groups
  if (!end || !found) return undefined
  const { separator, before, half, second, comma } = found
  const hour = Number(found.hour)
  const isAfternoon = half?.toLowerCase() === 'p' || /下午|午後|오후/.test(before ?? '')
  const hours = half || before ? (hour % 12) + (isAfternoon ? 12 : 0) : hour
  // Lines of logs have seconds before a dash, or no comma; other chats have brackets without seconds.
  if ((second === undefined) !== (dash !== null)) return undefined
  return {
    ...{ a: Number(found.a), b: Number(found.b), c: Number(found.c) },
    clock: `${String(hours).padStart(2, '0')}:${found.minute}:${second ?? '00'}`,
    isCertain: comma !== undefined || dash !== null,
    isEnglish: separator === '/' && half !== undefined && half === half.toUpperCase(),
    text: line.slice(end.index + end[0].length),
  }
}

function lineMeanings(order: DateOrder): LineMeaningOf {
  const how = order.isDayFirst ? 'day first' : 'month first'
  let isAssumed = order.isAssumed
  let isService = false
  const service: LineMeaning = { drop: 'line of WhatsApp itself' }
  return (line) => {
    const stamp = stampOf(line)
    if (!stamp) return isService ? service : undefined
    const message = messageIn(stamp.text)
    isService = message === undefined
    if (!message) return service
    const assumed = {
      code: 'invented',
      what: 'order of day and month',
      why: `read as ${how}; no date shows it`,
    } as const
    const missing = { code: 'dropped', what: 'media', why: reasons.notInFile } as const
    const loss = isAssumed ? assumed : message.isMedia ? missing : undefined
    isAssumed = false
    return { ...message, time: `${order.dateOf(stamp)}T${stamp.clock}`, loss }
  }
}

const omitted =
  /^<[^<>]{1,80}>$|\b(?:omitted|weggelassen|ausgeschlossen|omitid[ao]|omis|omise|omess[ao]|ocult[ao]|weggelaten)$/iu

/** The message in the text after the time; undefined for a service line. */
function messageIn(rest: string): { speaker: string; text: string; isMedia: boolean } | undefined {
  // A colon in a time or an address ends no name.
  const found = /^([^:"“”„«]{1,100}):(?!\/\/)(?<!\d:(?=\d))\s?/u.exec(rest)
  const speaker = found?.[1]?.replace(marks, '').trim()
  if (!found || !speaker) return undefined
  const isMarked = rest.startsWith('\u200e', found[0].length)
  const text = rest.slice(found[0].length).replace(leadingMarks, '')
  const isMedia = text.length < 100 && omitted.test(text)
  return isMarked && !isMedia && !text.includes(':') ? undefined : { speaker, text, isMedia }
}
