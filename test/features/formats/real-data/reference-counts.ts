import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { folder } from './folder.js'

type Counts = Record<string, unknown>

/** The counts of EXPECTED.md: each line gives a file and its counts; a ChatGPT export has one line a conversation. */
export function referenceCounts(): Map<string, Counts> {
  const lines = readFileSync(join(folder ?? '', 'EXPECTED.md'), 'utf8').split('\n')
  const counts = new Map<string, Counts>()
  let exported: Counts | undefined
  for (const line of lines) {
    const [, file, rest = ''] = /^([\w-]+\/\S+)\s*(.*)$/.exec(line) ?? []
    if (file !== undefined) {
      exported = rest === '' ? { conversations: 0, user: 0, assistant: 0 } : undefined
      counts.set(file, exported ?? countsIn(rest))
    } else if (exported && line.startsWith('    (')) addConversation(exported, line)
  }
  return counts
}

/** `8 {"turns": …}`, `20 {'human': 39}`, `12 {'system': 1} tool_calls 5 demo 0`, `8 leaf paths 43`. */
function countsIn(text: string): Counts {
  const total = /^(\d+)/.exec(text)?.[1]
  const object = /\{.*\}/.exec(text)?.[0]
  // The dictionaries of Python are JSON but for their quotes.
  const json = object?.startsWith("{'") ? object.replaceAll("'", '"') : object
  const words = text.slice((object === undefined ? 0 : text.indexOf(object)) + (object?.length ?? 0))
  const named = [...words.matchAll(/([a-z_ ]+?) (\d+)/g)].map(([, name = '', count]) => [name.trim(), Number(count)])
  return {
    ...(json !== undefined && JSON.parse(json)),
    ...Object.fromEntries(named),
    ...(total !== undefined && { total: Number(total) }),
  }
}

function addConversation(exported: Counts, line: string): void {
  const roles = JSON.parse((/\{[^}]*\}/.exec(line)?.[0] ?? '{}').replaceAll("'", '"')) as Record<string, number>
  exported.conversations = (exported.conversations as number) + 1
  for (const [role, count] of Object.entries(roles)) exported[role] = ((exported[role] as number) ?? 0) + count
}
