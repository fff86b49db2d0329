import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { scriptedShell } from '../../helpers/scripted-annotator.js'

// Each answer of the service takes 3 tokens in and 1 out.
const prices = { currency: 'EUR', in: 1_000_000, out: 500_000 }
const files = { 'svc.checks.json': JSON.stringify({ prices }) }

describe('the largest cost of a policy', () => {
  // An answer costs 3.50.
  const limited = { 'svc.checks.json': JSON.stringify({ prices, maxCost: 7 }) }

  it('sends no request once it is reached, and the rest is not judged', async () => {
    const shell = scriptedShell()
    const words = ['strong 1', 'strong 2', 'strong 3', 'strong 4']
    const { code, json } = await shell.check(words, ['--no-cache', '-j', '1', '--json'], { files: limited })
    expect([code, shell.asked]).toEqual([101, ['strong 1', 'strong 2']])
    expect(json()).toMatchObject({ judged: 2, cost: { currency: 'EUR', spent: 7 } })
    const gap = { why: 'over budget', detail: 'the limit of EUR 7.00 is reached', temporary: false }
    expect((json().cases as { gap: unknown }[]).map((each) => each.gap)).toEqual([null, null, gap, gap])
  })

  it('does not count what the cache saves', async () => {
    const shell = scriptedShell()
    const words = ['strong 1', 'strong 2', 'strong 3', 'strong 4']
    const flags = ['--cache', 'kept', '-j', '1']
    expect((await shell.check(words, flags, { files: limited })).code).toBe(101)
    expect((await shell.check(words, flags, { files: limited })).code).toBe(0)
  })

  it('lets a finding fail the check', async () => {
    const words = ['poor', 'strong 2', 'strong 3']
    expect((await scriptedShell().check(words, ['--no-cache', '-j', '1'], { files: limited })).code).toBe(100)
  })

  it('stands beside the price in --dry-run, and among the limits of a shard', async () => {
    const shell = scriptedShell()
    const { err } = await shell.check(['strong 1'], ['--no-cache', '-n'], { files: limited })
    expect(err).toContain('(2 messages, about 31 tokens in for EUR 31.00, of at most EUR 7.00)')
    const { lines } = await shell.check(['strong 1'], ['--no-cache', '-n', '--json'], { files: limited })
    expect(lines().at(-1)).toMatchObject({ cost: { currency: 'EUR', tokens_in: 31, max: 7 } })
    const { json } = await shell.check(['strong 1'], ['--no-cache', '--shard', '1/1', '--json'], { files: limited })
    expect(json()).toMatchObject({ shard: { own_limits: ['maxCost'] } })
  })
})

describe('the prices of a policy', () => {
  it('sum up in the report what was spent, and what the cache and equal transcripts saved', async () => {
    const shell = scriptedShell()
    await shell.check(['strong 1'], ['--cache', 'kept'], { files })
    const words = ['strong 1', 'strong 2', 'strong 2', 'strong 3']
    const { json } = await shell.check(words, ['--cache', 'kept', '--json'], { files })
    expect(json()).toMatchObject({
      ...{ usage: { tokens_in: 6, tokens_out: 2 }, saved: { tokens_in: 6, tokens_out: 2 } },
      cost: { currency: 'EUR', spent: 7, saved: 7 },
    })
  })

  it('stand in every report', async () => {
    const shell = scriptedShell()
    const ids = ['junit', 'sarif', 'md', 'html']
    const flags = ids.flatMap((id) => ['--report', `${id}=report.${id}`])
    const { out } = await shell.check(['strong 1'], ['--no-cache', ...flags], { files })
    const text = 'EUR 3.50 spent, EUR 0.0000 saved by the cache and equal transcripts'
    expect(out).toContain(text)
    for (const id of ['junit', 'md', 'html'])
      expect(readFileSync(join(shell.cwd, `report.${id}`), 'utf8')).toContain(text)
    const sarif = JSON.parse(readFileSync(join(shell.cwd, 'report.sarif'), 'utf8'))
    expect(sarif.runs[0].properties.cost).toEqual({ currency: 'EUR', spent: 3.5, saved: 0 })
  })

  it('are added up in merged reports', async () => {
    const shell = scriptedShell()
    await shell.check(['strong 1', 'strong 2'], ['--no-cache', '--report', 'json=all.json'], { files })
    for (const at of [0, 1]) {
      const argv = ['check', `conversations/${at}.json`, '--annotator', 'structural', '--no-cache']
      await shell.svc([...argv, '--report', `json=${at}.json`])
    }
    const { json } = await shell.svc(['report', 'merge', '0.json', '1.json', '--json'])
    expect(json().cost).toEqual(JSON.parse(readFileSync(join(shell.cwd, 'all.json'), 'utf8')).cost)
  })

  it('give --dry-run the price of the estimated tokens', async () => {
    const shell = scriptedShell()
    const policy = { prices: { currency: 'USD', in: 3, out: 15 } }
    const options = { files: { 'svc.checks.json': JSON.stringify(policy) } }
    const plain = await shell.check(['strong 1', 'strong 2'], ['--no-cache', '-n'], options)
    expect(plain.err.replace(/^using the policy .*\n/, '')).toBe(
      '2 requests (4 messages, about 62 tokens in for USD 0.0002) would be made for 2 transcripts with structural; nothing was sent\n',
    )
    const { lines } = await shell.check(['strong 1', 'strong 2'], ['--no-cache', '-n', '--json'], options)
    expect(lines().at(-1)).toMatchObject({
      ...{ schema: 'svc/check-plan@1', annotator: 'structural', planned: 2, messages: 4, cached: 0 },
      ...{ requests: { least: 2, most: 2 }, tokens_in: 62, cost: { currency: 'USD', tokens_in: 0.000186 } },
      ...{ not_selected: 0, unread: 0 },
    })
  })

  it.each([
    [{ currency: 'euro', in: 1, out: 1 }, '/prices/currency expected a currency such as "EUR", found "euro"'],
    [{ currency: 'EUR', in: -1, out: 1 }, '/prices/in expected a price of a million tokens, from 0, found -1'],
    [{ currency: 'EUR', in: 1 }, '/prices/out expected a price of a million tokens, from 0'],
    [{ currency: 'EUR', in: 1, out: 1, outt: 1 }, '/prices/outt unknown name; did you mean out?'],
  ])('are refused as %j with the place', async (prices, message) => {
    const options = { files: { 'svc.checks.json': JSON.stringify({ prices }) } }
    const { code, err } = await scriptedShell().check(['strong'], [], options)
    expect([code, err]).toEqual([3, expect.stringContaining(message)])
  })
})
