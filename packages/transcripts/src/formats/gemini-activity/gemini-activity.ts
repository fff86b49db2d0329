import { eachRecord, type Format, type ReaderContext, textOfHtml, textPart } from '../../contract/index.js'
import { ConversationBuilder } from '../../conversation/index.js'
import { asList, isObject, type JsonObject, objectsOf, textOf } from '../../json/index.js'
import { type ConversationDraft, type Place, reasons, within } from '../../model/index.js'

/** Activities of the Gemini app in Google Takeout. No id joins them, so each is a conversation of its own. */
export const geminiActivity: Format<'gemini-activity'> = {
  id: 'gemini-activity',
  title: 'Gemini activity of Google Takeout',
  accepts: '[{ "header": "Gemini Apps", "title": "Prompted …", "time", "safeHtmlItem": [{ "html" }] }]',
  fields: ['header', 'safeHtmlItem'],
  structure: 'header products activityControls time',
  skipsEmpty: true,
  detect: (value) => (isActivity(value) ? 0.95 : 0),
  reader: (context) => eachRecord(geminiActivity, context, (value, place) => readActivity(value, place, context)),
}

const isActivity = (value: unknown) =>
  isObject(value) &&
  /^(Gemini|Bard)\b/.test(textOf(value.header) ?? '') &&
  textOf(value.title) !== undefined &&
  textOf(value.time) !== undefined

/** The verb before the text of the user, in English; a title in another language is the text as it is. */
const verb = /^(?:Prompted|Asked|Said|Answered|Branched)(?: with:| Gemini:| Bard:)? /

/** Activities in which the user says nothing. */
const otherVerb = /^(?:Used|Created|Added|Removed|Gave|Viewed|Visited|Shared|Selected) /

function readActivity(value: JsonObject, place: Place, context: ReaderContext): ConversationDraft | undefined {
  if (!isActivity(value)) return undefined
  const { title, time: at, safeHtmlItem, subtitles, titleUrl } = value
  const conversation = new ConversationBuilder(context)
  const items = objectsOf(safeHtmlItem)
  const activity = textOf(title) ?? ''
  const isSaid = verb.test(activity) || (items.length > 0 && !otherVerb.test(activity))
  conversation.losses.note([activity, value.header, value.products, value.activityControls])
  if (isSaid) {
    const files = asList(value.attachedFiles).map((name) => ({ type: 'file', file_name: name }))
    const asked = [...textPart(activity.replace(verb, '')), ...files]
    conversation.addMessage('user', asked, { place: within(place, 'title'), at })
    const answer = items.map(({ html }) => textOfHtml(html, conversation.losses)).filter((text) => text !== '')
    if (answer.length > 0) {
      conversation.addMessage('assistant', answer.join('\n'), { place: within(place, 'safeHtmlItem'), at })
    }
  } else conversation.losses.addField('safeHtmlItem', safeHtmlItem, '', reasons.notConversation)
  for (const { name } of objectsOf(subtitles))
    conversation.losses.addField('subtitles', name, '', reasons.notConversation)
  return conversation.build({
    sourceTimestamp: conversation.time(at),
    metadata: { ...(textOf(titleUrl) !== undefined && { url: titleUrl }) },
    place,
  })
}
