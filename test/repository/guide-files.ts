import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { zipOf } from '../../packages/transcripts/test/fixtures/archives.js'
import { claudeSession } from '../helpers/session-files.js'

/** Writes the files that docs/guides/importing.md speaks of; the folder is also the home directory. */
export function writeGuideFiles(folder: string): void {
  const hourAgo = new Date(Date.now() - 3_600_000).toISOString()
  const files: Record<string, string | Uint8Array> = {
    'chatgpt-export.zip': zipOf({ name: 'conversations.json', content: JSON.stringify([conversation]) }),
    'calls.csv': 'conversation_id,Sender,Message text\n1,customer,Where is it?\n1,Ada,"On its way, I think."\n',
    'call.vtt':
      'WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ada>How can I help?</v>\n\n00:03.000 --> 00:04.000\n<v Bob>Where is it?</v>\n',
    'conversations/order-7.json': JSON.stringify({ messages: turnsOf(1), temperature: 0 }),
    'conversations/order-8.json': JSON.stringify({ name: 'Order 8', turns: turnsOf(1) }),
    'long.json': JSON.stringify({ name: 'Long', turns: turnsOf(501) }),
    '.claude/projects/-home-me-app/s1.jsonl': claudeSession('s1', hourAgo, { said: ['Where is it?', 'In src.'] }),
  }
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
}

const turnsOf = (rounds: number) =>
  Array.from({ length: rounds }, () => [
    { role: 'user', content: 'Where is it?' },
    { role: 'assistant', content: 'On its way.' },
  ]).flat()

const message = (role: string, text: string) => ({
  author: { role },
  create_time: 1_767_261_600,
  content: { content_type: 'text', parts: [text] },
})

const conversation = {
  title: 'Order 7',
  conversation_id: 'c1',
  create_time: 1_767_261_600,
  current_node: 'b',
  mapping: {
    a: { id: 'a', parent: null, children: ['b'], message: message('user', 'Where is it?') },
    b: { id: 'b', parent: 'a', children: [], message: message('assistant', 'On its way.') },
  },
}
