import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { selectCases } from '../../../packages/checks/src/check/index.js'
import { conversation, scriptedShell } from '../../helpers/scripted-annotator.js'

const words = Array.from({ length: 10 }, (_, i) => `strong s${i}`)

describe('--sample', () => {
  it('checks n transcripts, and says in line and report how many it left out', async () => {
    const shell = scriptedShell()
    const { code, json } = await shell.check(words, ['--sample', '3', '--json', '--no-cache'])
    expect([code, shell.asked.length]).toEqual([0, 3])
    expect(json()).toMatchObject({
      line: 'passed: no transcript is poor or worse (3 judged); 7 of 10 not selected',
      ...{ total: 3, judged: 3 },
      selection: { sample: 3, seed: '0', only_failed: null, where: {}, not_selected: 7 },
    })
  })

  it('chooses the same transcripts again, and others with another seed', async () => {
    const askedWith = async (...flags: string[]) => {
      const shell = scriptedShell()
      await shell.check(words, ['--sample', '3', '--no-cache', ...flags])
      return shell.asked.toSorted()
    }
    expect(await askedWith()).toEqual(await askedWith('--seed', '0'))
    expect(await askedWith()).not.toEqual(await askedWith('--seed', '1'))
  })

  it('--sample is all transcripts if there are fewer, with the gate over all', async () => {
    const { code, json } = await scriptedShell().check(['poor a'], ['--sample', '5', '--json', '--no-cache'])
    expect([code, json().line]).toEqual([100, 'failed: 1 of 1 transcript is poor or worse; 0 of 1 not selected'])
  })

  it('judges by the share of the selected transcripts alone', async () => {
    const { code } = await scriptedShell().check(words, ['--sample', '1', '--min-judged', '100%', '--no-cache'])
    expect(code).toBe(0)
  })

  it('counts a file that cannot be read, because its transcripts are not known', async () => {
    const files = { 'conversations/broken.json': '{"messages": [' }
    const { code, json } = await scriptedShell().check(words, ['--sample', '2', '--json', '--no-cache'], { files })
    expect([code, json().total]).toEqual([101, 3])
  })
})

describe('select', () => {
  const candidates = fc.uniqueArray(fc.nat(1_000), { maxLength: 40 }).map((ids) =>
    ids.map((id) => ({
      identity: { sha256: String(id) },
      conversation: { source: { path: `${id}.json` }, transcript: { place: { record: 1 } }, part: 1 } as never,
    })),
  )
  const chosen = (of: readonly { identity: { sha256: string }; conversation: never }[], sample: number, seed = '0') => {
    const { cases } = selectCases({ cases: of, unread: [] }, { sample, seed })
    return new Set(cases.map(({ identity }) => identity.sha256))
  }

  it('takes n or all, whatever the order of the files', () => {
    fc.assert(
      fc.property(candidates, fc.integer({ min: 1, max: 50 }), (all, sample) => {
        const found = chosen(all, sample)
        expect(found.size).toBe(Math.min(sample, all.length))
        expect(chosen(all.toReversed(), sample)).toEqual(found)
      }),
    )
  })

  it('keeps what it chose when the sample grows, and all but one when a transcript is added', () => {
    fc.assert(
      fc.property(candidates, fc.integer({ min: 1, max: 50 }), (all, sample) => {
        const larger = chosen(all, sample + 1)
        for (const each of chosen(all, sample)) expect(larger.has(each)).toBe(true)
        const before = chosen(all.slice(1), sample)
        const kept = [...before].filter((each) => chosen(all, sample).has(each))
        expect(kept.length).toBeGreaterThanOrEqual(before.size - 1)
      }),
    )
  })
})

describe('--where', () => {
  const files = {
    'conversations/a.json': {
      turns: conversation('strong a'),
      metadata: { team: 'red', run: { id: 7 }, tags: ['x', 'y'] },
    },
    'conversations/b.json': { turns: conversation('poor b'), metadata: { team: 'blue' }, modelName: 'm-1' },
    'conversations/c.json': { turns: conversation('strong c'), language: 'de' },
    'conversations/d.json': { turns: conversation('strong d'), metadata: { format: 'other', 'run.id': 8 } },
  }
  it.each([
    [['team=red'], ['strong a']],
    [['run.id=7'], ['strong a']],
    [['tags=y'], ['strong a']],
    [['metadata.team=blue'], ['poor b']],
    [['model_name=m-1'], ['poor b']],
    [['language=de'], ['strong c']],
    [['team=red', 'run.id=7'], ['strong a']],
    [['format=other'], ['strong d']],
    [['run.id=8'], ['strong d']],
  ])('%j checks the transcripts with these fields', async (conditions, asked) => {
    const shell = scriptedShell()
    await shell.check([], [...conditions.flatMap((each) => ['--where', each]), '--no-cache'], { files })
    expect(shell.asked).toEqual(asked)
  })

  it('--where that selects nothing is refused before any request', async () => {
    const shell = scriptedShell()
    const { code, err } = await shell.check([], ['--where', 'team=green', '--no-cache'], { files })
    expect([code, shell.asked]).toEqual([2, []])
    expect(err).toContain('None of 4 transcripts is selected.')
  })
})

describe('--only-failed', () => {
  it('checks what failed or was not judged in a report, and nothing else', async () => {
    const shell = scriptedShell()
    const first = await shell.check(['strong a', 'poor b', '422', 'poor d'], ['--report', 'json=r.json', '--no-cache'])
    expect(first.code).toBe(100)
    shell.asked.length = 0
    const { json } = await shell.check([], ['--only-failed', 'r.json', '--json', '--no-cache'])
    expect(shell.asked.toSorted()).toEqual(['422', 'poor b', 'poor d'])
    expect(json().selection).toMatchObject({ only_failed: 'r.json', not_selected: 1 })
  })

  const again = ['--only-failed', 'r.json', '--json', '--no-cache']
  type Gaps = { cases: { path: string; gap: { why: string } | null }[] }
  const gapsOf = (report: Record<string, unknown>) =>
    (report as Gaps).cases.flatMap(({ path, gap }) => (gap ? [`${path} ${gap.why}`] : []))

  it('finds what failed by its content, wherever it is now', async () => {
    const shell = scriptedShell()
    await shell.check(['poor a', 'strong b'], ['--report', 'json=r.json', '--no-cache'])
    shell.asked.length = 0
    // The failed one is moved, and a new one is in its place.
    const { code } = await shell.check(['strong c', 'strong b', 'poor a'], again)
    expect([code, shell.asked]).toEqual([100, ['poor a']])
  })

  it('names what failed and is not found again, counts it as not judged, and checks what is in its place', async () => {
    const shell = scriptedShell()
    await shell.check(['poor a', '422', 'strong c'], ['--report', 'json=r.json', '--no-cache'])
    shell.asked.length = 0
    const { code, json } = await shell.check(['strong a', 'strong b', 'poor new'], again)
    expect([code, shell.asked.toSorted()]).toEqual([101, ['strong a', 'strong b']])
    expect(gapsOf(json())).toEqual(['conversations/0.json not found', 'conversations/1.json not found'])
    expect(json()).toMatchObject({ total: 4, judged: 2, selection: { not_selected: 1 } })
    // The report of that run remembers what it did not find.
    await shell.check([], ['--only-failed', 'r.json', '--report', 'json=r2.json', '--no-cache'])
    const third = await shell.check([], ['--only-failed', 'r2.json', '--json', '--no-cache'])
    expect([third.code, gapsOf(third.json())]).toEqual([101, gapsOf(json())])
  })

  it('names what failed even if nothing else is selected, and sends nothing', async () => {
    const shell = scriptedShell()
    await shell.check(['poor a', 'strong b'], ['--report', 'json=r.json', '--no-cache'])
    rmSync(join(shell.cwd, 'conversations/0.json'))
    shell.asked.length = 0
    const { code, json } = await shell.check([], again)
    expect([code, shell.asked, gapsOf(json())]).toEqual([101, [], ['conversations/0.json not found']])
  })

  it('follows what failed by an external id that occurs once, and a file that is repaired by its path', async () => {
    const shell = scriptedShell()
    const named = (words: string) => JSON.stringify({ external_id: 'e1', messages: conversation(words) })
    const first = { 'conversations/a.json': named('poor a'), 'conversations/b.json': '{"messages": [' }
    await shell.check(['strong c'], ['--report', 'json=r.json', '--no-cache'], { files: first })
    shell.asked.length = 0
    const repaired = {
      'conversations/a.json': named('strong a'),
      'conversations/b.json': named('strong b').replace('e1', 'e2'),
    }
    const { code } = await shell.check([], again, { files: repaired })
    expect([code, shell.asked.toSorted()]).toEqual([0, ['strong a', 'strong b']])
  })

  it.each([
    ['{}', 3],
    [undefined, 3],
  ])('refuses a report of the content %j', async (content, expected) => {
    const files = content === undefined ? {} : { 'r.json': content }
    const { code } = await scriptedShell().check(['strong a'], ['--only-failed', 'r.json', '--no-cache'], { files })
    expect(code).toBe(expected)
  })

  it('refuses to write a report over the one that it reads', async () => {
    const shell = scriptedShell()
    await shell.check(['poor a'], ['--report', 'json=r.json', '--no-cache'])
    const { code, err } = await shell.check([], ['--only-failed', 'r.json', '--report', 'json=r.json', '--no-cache'])
    expect([code, err]).toEqual([2, expect.stringContaining('--only-failed')])
    expect(JSON.parse(readFileSync(join(shell.cwd, 'r.json'), 'utf8')).total).toBe(1)
  })

  it('ends with 2 if nothing failed in the report', async () => {
    const shell = scriptedShell()
    await shell.check(['strong a'], ['--report', 'json=r.json', '--no-cache'])
    expect((await shell.check([], ['--only-failed', 'r.json', '--no-cache'])).code).toBe(2)
  })
})

describe('a selection', () => {
  it('a selection cannot write a baseline', async () => {
    const flags = ['--sample', '1', '--baseline', 'b.json', '--update-baseline', '--no-cache']
    const { code, err } = await scriptedShell().check(words, flags)
    expect([code, err]).toEqual([2, expect.stringContaining('--update-baseline needs every transcript.')])
  })

  it('leaves the transcripts of a baseline that it does not select out of the missing ones', async () => {
    const shell = scriptedShell()
    await shell.check(words, ['--baseline', 'b.json', '--update-baseline', '--no-cache'])
    const { code, json } = await shell.check([], ['--baseline', 'b.json', '--sample', '2', '--json', '--no-cache'])
    expect([code, json().baseline]).toEqual([0, expect.objectContaining({ missing: [] })])
  })

  it('a selection is in the reports, and in the plan of a dry run', async () => {
    const shell = scriptedShell()
    const reports = ['md', 'junit', 'sarif', 'html'].flatMap((name) => ['--report', `${name}=r.${name}`])
    const dry = await shell.check(words, ['--sample', '4', '--dry-run', '--no-cache'])
    expect(dry.out + dry.err).toContain('6 not selected')
    await shell.check([], ['--sample', '4', ...reports, '--no-cache'])
    for (const name of ['md', 'junit', 'html', 'sarif']) {
      const text = readFileSync(join(shell.cwd, `r.${name}`), 'utf8')
      expect(text.replaceAll(/\s+/g, ' '), name).toMatch(/6 not selected|"not_selected": ?6/)
    }
  })

  it('reports losses and redactions of the selected transcripts alone', async () => {
    const file = (team: string, lost: string) => {
      const turns = [{ role: 'user', content: `strong ${team}@example.com`, [lost]: 1 }]
      return JSON.stringify({ name: team, turns, metadata: { team } })
    }
    const files = { 'conversations/a.json': file('a', 'mood'), 'conversations/b.json': file('b', 'weather') }
    const flags = ['--where', 'team=a', '--redact', '--no-cache', '--json']
    const { err, json } = await scriptedShell().check([], flags, { files })
    expect(err).toMatch(/redacted: 1 email.*losses: [^\n]*mood/s)
    expect(err).not.toContain('weather')
    expect(json()).toMatchObject({ losses: [{ count: 1 }], redacted: { email: 1 } })
  })

  it('a selection must be the same in reports that are merged', async () => {
    const shell = scriptedShell()
    await shell.check(words, ['--sample', '2', '--report', 'json=a.json', '--no-cache'])
    await shell.check([], ['--sample', '3', '--report', 'json=b.json', '--no-cache'])
    const merge = (...files: string[]) => shell.clock.until(shell.svc(['report', 'merge', ...files, '--json']))
    const refused = await merge('a.json', 'b.json')
    expect([refused.code, refused.out]).toEqual([101, expect.stringContaining('selection')])
    writeFileSync(join(shell.cwd, 'c.json'), readFileSync(join(shell.cwd, 'a.json')))
    expect((await merge('a.json', 'c.json')).json().selection).toMatchObject({ sample: 2, not_selected: 8 })
  })

  it.each([
    [['--seed', '1'], '--seed requires --sample.'],
    [['--sample', '0'], 'Expected a whole number from 1.'],
    [['--where', 'team'], 'Expected key=value.'],
    [['--where', 'team=a', '--where', 'team=b'], 'team already has a value.'],
  ])('%j is a usage error', async (flags, message) => {
    const { code, err } = await scriptedShell().check(words, [...flags, '--no-cache'])
    expect([code, err]).toEqual([2, expect.stringContaining(message)])
  })
})
