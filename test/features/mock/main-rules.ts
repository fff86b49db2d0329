import { notInAPage } from './browser-limits.js'
import { rules } from './rules/all.js'
import type { Exchange } from './rules/exchange.js'
import { notOver, runRule } from './rules/run-rule.js'
import { mswWorker } from './rules/transports/setup-worker.js'
import type { Transport } from './rules/transports/transport.js'

/** How a rule went in a page. */
export interface PageResult {
  rule: string
  exchanges: readonly Exchange[]
  /** Why it was left out. */
  left?: string
  /** Why it does not hold. */
  error?: string
}

/** Each rule whose number is a multiple of `every` in a page, over MSW's service worker; posts a result for each to its origin. */
async function main(every: number): Promise<string> {
  await mswWorker.start?.()
  const results: PageResult[] = []
  for (const rule of rules.filter((_, n) => n % every === 0)) {
    const left = notOver(rule, mswWorker)
    if (left) results.push({ rule: rule.name, exchanges: [], left })
    else results.push(await inPage(rule))
  }
  await mswWorker.stop?.()
  return JSON.stringify({ results })
}

async function inPage(rule: (typeof rules)[number]): Promise<PageResult> {
  let left: string | undefined
  const careful: Transport = {
    ...mswWorker,
    async open(options) {
      const opened = await mswWorker.open(options)
      const send: typeof opened.send = async (sent) => {
        left ??= notInAPage(sent)
        if (left) throw new Error(left)
        return opened.send(sent)
      }
      return { ...opened, send }
    },
  }
  const { exchanges, ...tried } = await runRule(rule, careful)
  const error = 'error' in tried ? { error: String((tried.error as Error)?.stack ?? tried.error) } : {}
  return left ? { rule: rule.name, exchanges: [], left } : { rule: rule.name, exchanges, ...error }
}

// Browsers have no such thing, and the hand-driven clock lets all that is ready run with it.
const channel = new MessageChannel()
const waiting: (() => void)[] = []
channel.port1.onmessage = () => waiting.shift()?.()
Object.assign(globalThis, {
  setImmediate(callback: () => void) {
    waiting.push(callback)
    channel.port2.postMessage(null)
  },
})

const body = await fetch('/given')
  .then(async (given) => main(await given.json()))
  .catch((error: unknown) => String((error as Error)?.stack ?? error))
await fetch('/report', { method: 'POST', body })
