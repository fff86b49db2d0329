import { asObject, type JsonObject, objectsOf, textOf } from '../../json/index.js'
import type { Losses } from '../../model/index.js'

/**
 * The response of a stream of events: of Anthropic models (`content_block_delta`), of the Converse API (`contentBlockDelta`), or of
 * models that write their text in parts (`outputText`, `generation`). The parts are noted.
 */
export function messageOfEvents(events: readonly unknown[], losses: Losses): JsonObject {
  const blocks = new Map<unknown, JsonObject>()
  const inputs = new Map<unknown, string>()
  let head: JsonObject = {}
  let text = ''
  for (const event of objectsOf(events)) {
    const { message, index, content_block: block, delta: change, contentBlockDelta, outputText, generation } = event
    head = { ...head, ...asObject(message) }
    if (block !== undefined) blocks.set(index, { ...asObject(block), ...blocks.get(index) })
    const { delta = change, contentBlockIndex: at = index } = asObject(contentBlockDelta)
    const { text: more, partial_json: json, thinking, stop_reason } = asObject(delta)
    if (stop_reason !== undefined) head = { ...head, stop_reason }
    const known = blocks.get(at) ?? (more === undefined ? undefined : { type: 'text', text: '' })
    losses.note(more, json, thinking, outputText, generation)
    if (typeof json === 'string') inputs.set(at, `${inputs.get(at) ?? ''}${json}`)
    const [said, thought] = [textOf(more), textOf(thinking)]
    if (known && said) blocks.set(at, { ...known, text: `${textOf(known.text) ?? ''}${said}` })
    if (known && thought) blocks.set(at, { ...known, thinking: `${textOf(known.thinking) ?? ''}${thought}` })
    text += textOf(outputText) ?? textOf(generation) ?? ''
  }
  if (blocks.size === 0) return { ...head, output: text }
  const content = [...blocks].map(([at, block]) => (inputs.has(at) ? { ...block, input: inputs.get(at) } : block))
  return { ...head, role: 'assistant', content }
}
