import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect } from 'vitest'
import { isLong } from '../helpers/long.js'
import { rules } from '../rules/all.js'
import { differences, notOver, runRule } from '../rules/run-rule.js'
import { direct } from '../rules/transports/direct.js'
import { reasons } from './browser-limits.js'
import { chromium } from './cache.js'
import { itRuns } from './it-runs.js'
import type { PageResult } from './main-rules.js'
import { openPage } from './page.js'
import { inChromium } from './start.js'

const folder = mkdtempSync(join(tmpdir(), 'svc-rules-'))
afterAll(() => rmSync(folder, { recursive: true, maxRetries: 3 }))

describe('over setupWorker in a page', () => {
  itRuns(chromium(), 'the rules hold, with the answers of the direct Fetch', async (binary) => {
    const every = isLong ? 1 : 5
    const asked = rules.filter((_, n) => n % every === 0)
    const page = await openPage('main-rules.ts', every)
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
