import { defineFormat, type Note } from '../../contract/index.js'
import { asObject, isObject, type JsonObject, textOf } from '../../json/index.js'
import { elementsOf, type Losses, type Place, type Placed, reasons, within } from '../../model/index.js'

/** Replays of Copilot Chat in VS Code: the prompts of a session with the log of each. */
export const copilotReplay = defineFormat({
  id: 'copilot-replay',
  title: 'GitHub Copilot Chat replay (VS Code)',
  accepts:
    '{ "prompts": [{ "prompt", "logs": [{ "kind": "request" | "toolCall", "response" }] }] }, or one of the prompts',
  signature: {
    'prompts[].prompt prompts[].logs[].kind': 0.97,
    'prompt logs[].kind=request|toolCall|element|error': 0.97,
  },
  conversations: (value, place) => [{ value, messages: (losses) => messagesOf(value, place, losses) }],
  conversation: { externalId: 'promptId' },
  role: ({ kind }) => kind,
  roles: { user: 'prompt', assistant: 'request toolCall', system: 'error' },
  text: ({ kind, prompt, content, error, response }, note) =>
    kind === 'request' ? said(textOf(content) ?? asObject(response).message, note) : (prompt ?? error),
  thinking: 'thinking.text',
  time: ['time', 'metadata.startTime', 'timestamp'],
  model: 'metadata.model',
  metadata: { kind: ({ kind }) => (kind === 'error' ? kind : undefined) },
  calls: {
    in: (log) => (log.kind === 'toolCall' ? log : undefined),
    id: 'id',
    name: 'tool',
    args: 'args',
    output: ({ response }) => (isTexts(response) ? response.join('\n') : response),
  },
  lost: ['mcpServers'],
  structure: 'kind type name promptId requestType ourRequestId requestId serverRequestId tool',
})

/** A text, which may be in pieces. */
function said(pieces: unknown, note: Note): string | undefined {
  const texts = [pieces].flat().flatMap((piece) => textOf(piece) ?? [])
  note.each(texts)
  return texts.length === 0 ? undefined : texts.join('\n')
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')

/** Each prompt, and what its log says. The messages sent with a request repeat the log. */
function messagesOf(value: JsonObject, place: Place, losses: Losses): Placed[] {
  const prompts = Array.isArray(value.prompts)
    ? elementsOf(value.prompts, within(place, 'prompts'))
    : [{ value, place }]
  return prompts.flatMap(({ value: prompt, place: at }) => {
    if (!isObject(prompt)) return [{ value: prompt, place: at }]
    const logs = elementsOf(prompt.logs, within(at, 'logs')).filter(({ value: log }) => {
      if (!isObject(log)) return true
      losses.addField('requestMessages', log.requestMessages, '', reasons.othersRead)
      if (log.kind === 'request')
        return [log.content, asObject(log.response).message].flat().some((piece) => textOf(piece) !== undefined)
      if (log.kind !== 'toolCall') return log.kind === 'error' && log.error !== undefined
      if (isTexts(log.response)) losses.noteEach(log.response)
      return true
    })
    return [{ value: { kind: 'prompt', prompt: prompt.prompt }, place: within(at, 'prompt') }, ...logs]
  })
}
