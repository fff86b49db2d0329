import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { zipOf } from '../../packages/transcripts/test/fixtures/archives.js'
import { claudeSession } from '../helpers/session-files.js'

/** Writes the files of other programs that docs/guides/importing.md reads; the folder is also the home directory. */
export function writeGuideFiles(folder: string): void {
  const hourAgo = new Date(Date.now() - 3_600_000).toISOString()
  const files: Record<string, string | Uint8Array> = {
    'chatgpt-export.zip': zipOf({ name: 'conversations.json', content: JSON.stringify([conversation]) }),
    '.claude/projects/-home-me-app/s1.jsonl': claudeSession('s1', hourAgo, { said: ['Where is it?', 'In src.'] }),
  }
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
}

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
