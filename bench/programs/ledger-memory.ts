import { contentHash, createEntryStates, identities } from '../../packages/bulk/src/ledger/index.js'

/** Prints the heap, in megabytes, that a shard needs for the ledgers of a folder with so many stored uploads. */
const uploads = Number(process.argv[2])
const target = { baseUrl: 'https://svc.test/public/api/v1', project: 'hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10' }
const identify = identities(target, { index: 0, of: 1_000_000 })
const states = createEntryStates(target, { index: 0, of: 64 })
const heap = () => {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed / 1e6
}
const before = heap()
for (let n = 0; n < uploads; n++) {
  const content = contentHash({ turns: [{ role: 'user', content: String(n) }] })
  const identity = identify(content, 1, contentHash({ turns: [n] }))
  const common = { at: '2026-01-01T00:00:00.000Z', run: 'r' }
  const intent = {
    ...identity,
    event: 'intent' as const,
    name: `Conversation ${n}`,
    turns: 6,
    path: 'a.jsonl',
    record: n,
  }
  states.replay({ ...common, n: 2 * n, ...intent })
  states.replay({ ...common, n: 2 * n + 1, event: 'done', key: identity.key, id: `tr_${content.slice(0, 24)}` })
}
console.log(heap() - before)
// Until here it is held.
states.count()
