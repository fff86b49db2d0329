import { defineFormat, textOfHtml, textPart } from '../../contract/index.js'
import { asList, type JsonObject, objectsOf, textOf } from '../../json/index.js'
import { type Losses, type Place, type Placed, reasons, within } from '../../model/index.js'

/** Activities of the Gemini app in Google Takeout. No id joins them, so each is a conversation of its own. */
export const geminiActivity = defineFormat({
  id: 'gemini-activity',
  title: 'Gemini activity of Google Takeout',
  accepts: '[{ "header": "Gemini Apps", "title": "Prompted …", "time", "safeHtmlItem": [{ "html" }] }]',
  signature: { 'header=Gemini*|Bard* title time': 0.95 },
  fields: 'header safeHtmlItem',
  empty: 'header=Gemini*|Bard* title time',
  conversations: (value, place) => [{ value, messages: (losses) => messagesOf(value, place, losses) }],
  conversation: { sourceTimestamp: 'time', metadata: { url: 'titleUrl' } },
  time: 'time',
  structure: 'header products activityControls time',
})

/** The verb before the text of the user, in English; a title in another language is the text as it is. */
const verb = /^(?:Prompted|Asked|Said|Answered|Branched)(?: with:| Gemini:| Bard:)? /

/** The name of the product, in any language. */
const product = /^(?:Gemini|Bard)\S*(?: \S+)?$/

/** Activities in which the user says nothing. */
const otherVerb = /^(?:Used|Created|Added|Removed|Gave|Viewed|Visited|Shared|Selected) /

function messagesOf(value: JsonObject, place: Place, losses: Losses): Placed[] {
  const { title, time, safeHtmlItem } = value
  const items = objectsOf(safeHtmlItem)
  const activity = textOf(title) ?? ''
  if (product.test(textOf(value.header) ?? '')) losses.note(value.header)
  losses.note(activity, ...asList(value.products), ...asList(value.activityControls))
  for (const { name } of objectsOf(value.subtitles)) losses.addField('subtitles', name, '', reasons.notConversation)
  if (!verb.test(activity) && (items.length === 0 || otherVerb.test(activity))) {
    losses.addField('safeHtmlItem', safeHtmlItem, '', reasons.notConversation)
    return []
  }
  const files = asList(value.attachedFiles).map((name) => ({ type: 'file', file_name: name }))
  const asked = [...textPart(activity.replace(verb, '')), ...files]
  const answer = items.map(({ html }) => textOfHtml(html, losses)).filter((text) => text !== '')
  const answers = answer.length === 0 ? [] : [{ role: 'assistant', content: answer.join('\n'), time }]
  return [
    { value: { role: 'user', content: asked, time }, place: within(place, 'title') },
    ...answers.map((each) => ({ value: each, place: within(place, 'safeHtmlItem') })),
  ]
}
