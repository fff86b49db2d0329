import { once } from 'node:events'
import { createWriteStream } from 'node:fs'

const vocabulary =
  'the order has not arrived yet and nobody could say when it will be here, so we asked once more.'.split(' ')

/** Words in an order that is the same in each run; one text in eight is not all ASCII. */
function words(seed: number, length: number): string {
  let state = seed
  let text = seed % 8 === 0 ? '“So” 😀 ' : ''
  while (text.length < length) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    text += `${vocabulary[state % vocabulary.length]} `
  }
  return text
}

async function write(path: string, parts: Iterable<string>): Promise<void> {
  const file = createWriteStream(path)
  for (const part of parts) if (!file.write(part)) await once(file, 'drain')
  file.end()
  await once(file, 'close')
}

/** Write a ChatGPT data export of `bytes`, on one line: conversations of 40 messages and an abandoned branch. */
export const writeChatGptExport = (path: string, bytes: number): Promise<void> => write(path, conversations(bytes))

function* conversations(bytes: number): Generator<string> {
  yield '['
  for (let written = 0, index = 0; written < bytes; index++) {
    const text = (index > 0 ? ',' : '') + JSON.stringify(conversation(index))
    written += text.length
    yield text
  }
  yield ']'
}

function conversation(index: number): object {
  const mapping: Record<string, object> = { root: { id: 'root', message: null, parent: null, children: ['m0'] } }
  for (let at = 0; at < 40; at++) {
    const role = at % 2 === 0 ? 'user' : 'assistant'
    const text = words(index * 41 + at, role === 'user' ? 200 : 1500)
    mapping[`m${at}`] = node(`m${at}`, at === 0 ? 'root' : `m${at - 1}`, role, text)
  }
  mapping.left = node('left', 'm3', 'user', words(index, 300))
  return {
    title: `Conversation ${index}`,
    create_time: 1_700_000_000 + index,
    update_time: 1_700_000_500 + index,
    mapping,
    current_node: 'm39',
    conversation_id: `c-${index}`,
    default_model_slug: 'gpt-4o',
    moderation_results: [],
    is_archived: false,
  }
}

function node(id: string, parent: string, role: string, text: string): object {
  const metadata = role === 'assistant' ? { model_slug: 'gpt-4o', finish_details: { type: 'stop' } } : {}
  const message = {
    id,
    author: { role, name: null, metadata: {} },
    create_time: 1_700_000_000.5,
    update_time: null,
    content: { content_type: 'text', parts: [text] },
    status: 'finished_successfully',
    end_turn: true,
    weight: 1,
    metadata,
    recipient: 'all',
  }
  return { id, message, parent, children: [] }
}

/** Write a Codex rollout of `bytes`: one session, most of it reasoning and tool outputs. */
export const writeCodexLog = (path: string, bytes: number): Promise<void> => write(path, rollout(bytes))

function* rollout(bytes: number): Generator<string> {
  let written = 0
  const line = (index: number, type: string, payload: object) => {
    const timestamp = new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString()
    const text = `${JSON.stringify({ timestamp, type, payload })}\n`
    written += text.length
    return text
  }
  yield line(0, 'session_meta', { id: 's-1', cwd: '/work', cli_version: '0.60.0', originator: 'codex_cli_rs' })
  yield line(0, 'turn_context', { model: 'gpt-5', cwd: '/work' })
  for (let index = 1; written < bytes; index++) {
    const request = words(index, 300)
    yield line(index, 'response_item', message('user', 'input_text', request))
    yield line(index, 'event_msg', { type: 'user_message', message: request })
    yield line(index, 'response_item', { type: 'reasoning', summary: [], encrypted_content: words(index, 4000) })
    const call_id = `call_${index}`
    const args = JSON.stringify({ command: ['bash', '-lc', 'cat file.txt'] })
    yield line(index, 'response_item', { type: 'function_call', name: 'shell', arguments: args, call_id })
    const output = JSON.stringify({ output: words(index + 7, 3000), metadata: { exit_code: 0 } })
    yield line(index, 'response_item', { type: 'function_call_output', call_id, output })
    yield line(index, 'event_msg', { type: 'token_count', info: { total_token_usage: { input_tokens: index } } })
    const answer = words(index + 3, 800)
    yield line(index, 'response_item', message('assistant', 'output_text', answer))
    yield line(index, 'event_msg', { type: 'agent_message', message: answer })
  }
}

const message = (role: string, type: string, text: string) => ({ type: 'message', role, content: [{ type, text }] })
