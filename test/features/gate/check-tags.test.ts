import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { conversation, scriptedShell } from '../../helpers/scripted-annotator.js'

const of = (words: string, metadata?: object) => JSON.stringify({ name: words, turns: conversation(words), metadata })

const files = {
  'calls/eu/1.json': of('poor 1', { team: 'red' }),
  'calls/eu/2.json': of('strong 2', { team: 'red', lists: ['a', 'b'] }),
  'calls/us/3.json': of('strong 3', { team: 'blue', lists: ['b'] }),
  'calls/us/4.json': of('strong 4'),
}
const run = (policy: object, flags: readonly string[] = [], more: Record<string, string> = {}) => {
  const shell = scriptedShell()
  const argv = ['check', 'calls', '--annotator', 'structural', '--no-cache', ...flags]
  const all = { ...files, ...more, 'svc.checks.json': JSON.stringify(policy) }
  return shell.svc(argv, { files: all }).then((result) => ({ ...result, shell }))
}
const rate = (max: string, by?: string) => ({ outcome: 'poor', max, by })

describe('a tag', () => {
  it('counts the transcripts of each of its values, and those without one', async () => {
    const { code, json } = await run({ tags: { team: 'metadata.team', region: 'folder:2' } }, ['--json'])
    expect([code, json()]).toMatchObject([
      100,
      {
        slices: [
          { tag: 'team', value: 'blue', total: 1, judged: 1, results: { failed: 0, passed: 1 } },
          { tag: 'team', value: 'red', total: 2, judged: 2, results: { failed: 1, passed: 1 } },
          { tag: 'team', value: null, total: 1, judged: 1, results: { passed: 1 } },
          { tag: 'region', value: 'eu', total: 2, results: { failed: 1 } },
          { tag: 'region', value: 'us', total: 2, results: { failed: 0 } },
        ],
        cases: [{ tags: { team: ['red'], region: ['eu'] } }, {}, {}, { tags: { team: [], region: ['us'] } }],
      },
    ])
  })

  it('puts a transcript with several values into the slice of each', async () => {
    const { json } = await run({}, ['--tag', 'list=lists', '--json'])
    expect(json()).toMatchObject({
      slices: [
        { value: 'a', total: 1 },
        { value: 'b', total: 2 },
        { value: null, total: 2 },
      ],
    })
  })

  it('is left out of a report without tags', async () => {
    const { json } = await run({}, ['--json'])
    expect(JSON.stringify(json())).not.toMatch(/"slices"|"tags"/)
  })

  it.each([
    [['--tag', 'team'], 'Expected key=value'],
    [['--tag', 'team=a', '--tag', 'team=b'], 'team already has a value.'],
    [['--tag', 'x=folder:0'], 'Expected folder:N, such as folder:1 for the first folder.'],
  ])('%j is a usage error', async (flags, message) => {
    const { code, err } = await run({}, flags)
    expect([code, err]).toEqual([2, expect.stringContaining(message)])
  })
})

describe('a rate by tag', () => {
  const tags = { team: 'metadata.team' }

  it('fails the slice that exceeds it, although all transcripts together keep it', async () => {
    const { code, json } = await run({ tags, rates: [rate('40%'), rate('40%', 'team')] }, ['--json'])
    expect([code, json()]).toMatchObject([
      100,
      {
        line: 'failed: poor or worse with team=red: 1 of 2, 50 %, at most 40 %',
        rates: [
          { verdict: 'within_limit', n: 4 },
          { by: 'team', slice: 'blue', verdict: 'within_limit', n: 1 },
          { by: 'team', slice: 'red', verdict: 'exceeded', hits: 1, n: 2, culprits: [{ name: 'poor 1' }] },
          { by: 'team', slice: null, verdict: 'within_limit', n: 1 },
        ],
      },
    ])
  })

  it('counts an unreadable file as missing in every slice, because its values are not known', async () => {
    const policy = { tags, rates: [rate('50%', 'team')], confidence: 0.6, minJudged: '50%' }
    const { json } = await run(policy, ['--json'], { 'calls/eu/broken.json': '{"messages": [' })
    expect(json().slices).toContainEqual(expect.objectContaining({ value: null, total: 2, judged: 1 }))
    expect((json() as { rates: { slice: string }[] }).rates.map(({ slice }) => slice)).toEqual(['blue', 'red', null])
  })

  it('has nothing to limit in a slice of indeterminate transcripts, about which the policy decides', async () => {
    const policy = { tags, rates: [rate('40%', 'team')], indeterminate: 'ignore' }
    const { json } = await run(policy, ['--json'], { 'calls/eu/6.json': of('indeterminate 6', { team: 'green' }) })
    expect(json().rates).toContainEqual(expect.objectContaining({ slice: 'green', n: 0, verdict: 'within_limit' }))
    const unjudged = await run({ ...policy, minJudged: '10%' }, ['--json'], {
      'calls/eu/6.json': of('422', { team: 'green' }),
    })
    expect(unjudged.json().rates).toContainEqual(expect.objectContaining({ slice: 'green', verdict: 'cannot tell' }))
  })

  it('is judged again in merged reports, over the transcripts of all', async () => {
    const { shell } = await run({ tags, rates: [rate('40%', 'team')] }, ['--report', 'json=all.json'])
    for (const region of ['eu', 'us']) {
      const argv = ['check', `calls/${region}`, '--annotator', 'structural', '--no-cache']
      await shell.svc([...argv, '--report', `json=${region}.json`])
    }
    const merged = (await shell.svc(['report', 'merge', 'eu.json', 'us.json', '--json'])).json()
    const { slices, rates } = JSON.parse(readFileSync(join(shell.cwd, 'all.json'), 'utf8'))
    expect(merged).toMatchObject({ slices, rates })
    writeFileSync(join(shell.cwd, 'svc.checks.json'), JSON.stringify({ rates: [rate('40%')] }))
    await shell.svc(['check', 'calls/us', '--annotator', 'structural', '--no-cache', '--report', 'json=other.json'])
    const refused = await shell.svc(['report', 'merge', 'eu.json', 'other.json'])
    expect([refused.code, refused.err]).toEqual([101, expect.stringContaining('policy.tags')])
  })

  it.each([
    ['an unknown tag', { tags, rates: [rate('5%', 'taem')] }, '/rates/0/by "tags" has no "taem"; did you mean team?'],
    ['a tag without tags', { rates: [rate('5%', 'team')] }, '/rates/0/by "tags" has no "team"; add "tags"'],
    [
      'a tag of no folder',
      { tags: { team: 'folder:x' } },
      '/tags/team expected a field such as "metadata.team", or "folder:1"',
    ],
    ['two equal rates', { tags, rates: [rate('5%', 'team'), rate('6%', 'team')] }, '/rates/1 the same as /rates/0'],
  ])('a policy with %s is refused with the place', async (_, policy, message) => {
    const { code, err } = await run(policy)
    expect([code, err]).toEqual([3, expect.stringContaining(message)])
  })
})

describe('every report', () => {
  it('shows the counts of each slice, whatever its value holds', async () => {
    const hostile = { 'calls/eu/5.json': of('strong 5', { team: '<b>|`x`\u001b[31m](y)' }) }
    const ids = ['junit', 'sarif', 'md', 'html', 'json']
    const flags = ids.flatMap((id) => ['--report', `${id}=report.${id}`])
    const { shell, out } = await run({ tags: { team: 'team' } }, flags, hostile)
    const read = (id: string) => readFileSync(join(shell.cwd, `report.${id}`), 'utf8')
    expect(out).toMatch(/^ {2}with team=red: 1 of 2 failed\n[\s\S]*\n {2}without team: 0 of 1 failed\n/)
    expect(read('junit')).toContain('<property name="slice" value="with team=red: 1 of 2 failed"/>')
    expect(read('md')).toContain('| `team` | Transcripts | Failed | Not judged |\n|---|--:|--:|--:|\n')
    expect(read('md')).toContain('| `red` | 2 | 1 | 0 |\n| none | 1 | 0 | 0 |\n')
    expect(read('html')).toContain('<li>with team=red: 1 of 2 failed</li>')
    expect(JSON.parse(read('sarif')).runs[0].properties.slices).toHaveLength(4)
    for (const id of ids) expect(read(id)).not.toContain('\u001b')
    expect(read('html')).not.toContain('with team=<b>')
    expect(out).not.toContain('\u001b[31m](y)')
  })
})
