import { describe, expect, it } from 'vitest'
import { rules } from '../rules/all.js'
import type { Patch } from '../rules/defect.js'
import { allDefects } from '../rules/defects.js'
import { patchedDirect } from '../rules/patched-server.js'
import type { Rule } from '../rules/rule.js'
import { notOver, runRule } from '../rules/run-rule.js'

/** The first rule that a server breaks; undefined where it keeps them all. */
async function firstBroken(patch: Patch | undefined, likely: readonly Rule[]): Promise<string | undefined> {
  const transport = patchedDirect(patch)
  for (const rule of new Set([...likely, ...rules])) {
    if (notOver(rule, transport)) continue
    if ('error' in (await runRule(rule, transport))) return rule.name
  }
  return undefined
}

it('the server as it is, loaded like one with a defect, keeps every rule', async () => {
  expect(await firstBroken(undefined, [])).toBeUndefined()
})

describe('the rules see a server that', () => {
  for (const { likely, defects } of allDefects) {
    it.each(defects)('$name', async (defect) => {
      expect(await firstBroken(defect, likely)).toBeDefined()
    })
  }

  it('has one of at least forty defects, each with a name of its own', () => {
    const names = allDefects.flatMap(({ defects }) => defects.map(({ name }) => name))
    expect(names.length).toBeGreaterThanOrEqual(40)
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([])
  })
})
