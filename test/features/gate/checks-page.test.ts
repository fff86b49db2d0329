import { readFileSync } from 'node:fs'
import { buildProgram, type Io } from '@svc/cli'
import { describe, expect, it } from 'vitest'
import { rateVerdict, wilson } from '../../../packages/checks/src/judge/index.js'
import { overrideKeys, policyChecks, policyKeys, rateKeys } from '../../../packages/checks/src/policy/index.js'
import { blocksOf } from '../../helpers/blocks.js'
import { markdownTable } from '../../helpers/markdown-table.js'

const page = readFileSync(new URL('../../../docs/reference/checks.md', import.meta.url), 'utf8')

/** The rows of the first table under a heading, each with its cells. */
function tableUnder(heading: string): string[][] {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
  const lines = /(?:^\|.*\n)+/m.exec(section)?.[0].trim().split('\n') ?? []
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

const json = (value: unknown): string =>
  value === undefined
    ? ''
    : `\`${JSON.stringify(value, null, 1).replace(/\n\s*/g, ' ').replaceAll('[ ', '[').replaceAll(' ]', ']')}\``

type Column = 'type' | 'default' | 'meaning'

function tableOf(keys: typeof policyKeys, columns: readonly Column[]): string {
  const rows = Object.entries(keys).map(([key, { type, default: preset, meaning }]) => {
    const cells = { type, default: json(preset), meaning }
    return [`\`${key}\``, ...columns.map((column) => cells[column])]
  })
  return markdownTable([['key', ...columns], ...rows])
}

/** The page with these tables under their headings. */
const withTables = (tables: Record<string, string>): string =>
  Object.entries(tables).reduce(
    (text, [heading, table]) =>
      text.replace(new RegExp(`(^## ${heading}\n(?:(?!\\|).*\n)*)(?:\\|.*\n)+`, 'm'), (_, before) => before + table),
    page,
  )

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`

/** The flags that do not have the name of their key. */
const otherFlags: Record<string, string> = {
  forbidden: '--forbid',
  allowed: '--allow',
  required: '--require',
  rates: '--max-rate',
  tags: '--tag',
}

/** Why a key of the policy file has no flag that overrides it. */
const withoutFlag = {
  $schema: 'only editors read it',
  extends: 'a flag selects a file with --policy',
  ruleTimeout: 'it belongs to the code of the rules',
  reading: '--map and --importer override single fields',
  options: '--options and --option override single options',
  prices: 'they change no verdict',
  maxCost: 'it counts by the prices',
  cluster: 'it belongs to the transcripts',
  overrides: 'flags apply to every file',
}

describe('docs/reference/checks.md', () => {
  it('docs/reference/checks.md has every key of the policy file, of a rate and of an override', async () => {
    const written = withTables({
      Keys: tableOf(policyKeys, ['type', 'default', 'meaning']),
      Rates: tableOf(rateKeys, ['type', 'meaning']),
    })
    await expect(written).toMatchFileSnapshot('../../../docs/reference/checks.md')
    const rules = Object.keys(overrideKeys).slice(1)
    expect(page).toContain(`the rule keys (${rules.map((key) => `\`${key}\``).join(', ')})`)
  })

  it('has a flag for every key of the policy file, or a reason why there is none', async () => {
    const program = await buildProgram({} as Io, () => {}, ['check'])
    const check = program.commands.find((command) => command.name() === 'check')
    const flags = [program, check].flatMap((command) => command?.options.map(({ long }) => long) ?? [])
    const named = Object.keys(policyKeys).filter((key) => key !== 'paths' && !Object.hasOwn(withoutFlag, key))
    const flagOf = (key: string) =>
      otherFlags[key] ?? `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
    expect(named.map(flagOf).filter((flag) => !flags.includes(flag))).toEqual([])
    const [, section = ''] = page.split('## Flags and the file\n')
    for (const name of [...Object.values(otherFlags), ...Object.keys(withoutFlag)])
      expect(section).toContain(`\`${name}\``)
  })

  it('shows policies that are accepted', () => {
    const shown = blocksOf(page, 'json').map((text) => JSON.parse(text))
    expect(shown.length).toBeGreaterThan(1)
    for (const policy of shown) expect(policyChecks.safeParse(policy)).toMatchObject({ success: true })
  })

  it('computes its example correctly', () => {
    const rows = tableUnder('Confidence')
    expect(rows.length).toBeGreaterThan(3)
    for (const [n, hits, ...rest] of rows) {
      const [low, high] = wilson(Number(hits), Number(n), 0.95)
      const verdicts = [undefined, 0.95].map((sure) =>
        rateVerdict({ hits: Number(hits), n: Number(n), missing: 0 }, 0.05, sure),
      )
      expect(rest).toEqual([
        percent(Number(hits) / Number(n)),
        ...[verdicts[0], percent(low), percent(high), verdicts[1]],
      ])
    }
    const enough = Array.from({ length: 100 }, (_, n) => n).find(
      (n) => rateVerdict({ hits: 0, n, missing: 0 }, 0.05, 0.95) === 'within_limit',
    )
    expect(page).toContain(`at least ${enough} transcripts`)
  })
})
