import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect } from 'vitest'
import { isLong } from '../../helpers/long.js'
import { chromium } from '../../helpers/runtimes/cache.js'
import { itRuns } from '../../helpers/runtimes/it-runs.js'
import { openPage } from '../../helpers/runtimes/page.js'
import { inChromium } from '../../helpers/runtimes/start.js'
import { reasons } from './browser-limits.js'
import type { PageResult } from './main-rules.js'
import { rules } from './rules/all.js'
import { differences, notOver, runRule } from './rules/run-rule.js'
import { direct } from './rules/transports/direct.js'

const folder = mkdtempSync(join(tmpdir(), 'svc-rules-'))
afterAll(() => rmSync(folder, { recursive: true, maxRetries: 3 }))

describe('over setupWorker in a page', () => {
  itRuns(chromium(), 'the rules hold, with the answers of the direct Fetch', async (binary) => {
    const every = isLong ? 1 : 5
    const asked = rules.filter((_, n) => n % every === 0)
    const page = await openPage(new URL('main-rules.ts', import.meta.url), every)
    const running = inChromium<{ results: PageResult[] }>(binary, folder, page.origin, page.reported)
    const { results } = await running.finally(page.close)
    expect(results.map(({ rule }) => rule)).toEqual(asked.map(({ name }) => name))
    expect(results.filter(({ error }) => error !== undefined)).toEqual([])

    const known = [...reasons, ...rules.map(({ only }) => only?.because)]
    expect(results.filter(({ left }) => left !== undefined && !known.includes(left))).toEqual([])

    const found: string[] = []
    for (const [i, rule] of asked.entries()) {
      const inPage = results[i]
      if (!inPage || inPage.left || notOver(rule, direct)) continue
      const { exchanges } = await runRule(rule, direct)
      found.push(...differences(exchanges, inPage.exchanges).map((text) => `${rule.name}: ${text}`))
    }
    expect(found).toEqual([])
  })
})
