import { defineFormat } from '../../contract/index.js'
import { isObject, type JsonObject } from '../../json/index.js'
import { elementsOf, within } from '../../model/index.js'

/** `data.json` of MultiWOZ 2.0 and 2.1: dialogues by their ids, in which the user and the system speak in turn. */
export const multiwoz = defineFormat({
  id: 'multiwoz',
  title: 'MultiWOZ dialogues',
  accepts: '{ ID: { "goal", "log": [{ "text", "metadata" }] } }, with the user and the system in turn',
  signature: (value) => (isObject(value) && Object.values(value).slice(0, 3).some(isDialogue) ? 0.97 : 0),
  fields: 'goal log',
  conversations: (value, place) => {
    const dialogues = Object.entries(value).filter(([, dialogue]) => isDialogue(dialogue))
    if (dialogues.length === 0) return undefined
    return dialogues.map(([id, dialogue]) => {
      const at = within(place, id)
      const log = elementsOf((dialogue as JsonObject).log, within(at, 'log'))
      const messages = log.map(({ value: turn, place: inLog }, index) => ({
        value: isObject(turn) ? { ...turn, role: index % 2 === 0 ? 'user' : 'assistant' } : turn,
        place: inLog,
      }))
      return { value: { ...(dialogue as JsonObject), id }, place: at, messages }
    })
  },
  conversation: { externalId: 'id' },
  text: 'text',
  lost: ['goal'],
})

const isDialogue = (value: unknown): boolean =>
  isObject(value) && 'goal' in value && Array.isArray(value.log) && isObject(value.log[0]) && 'metadata' in value.log[0]
