import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TranscriptUpload } from '@svc/client'
import { describe, expect, it } from 'vitest'
import type { CliOptions } from '../../helpers/run-cli.js'
import { conversation, scriptedShell } from '../../helpers/scripted-annotator.js'

/** A shell whose project has stored transcripts. */
function shell() {
  const scripted = scriptedShell()
  const { clock, project, svc } = scripted
  const client = scripted.client()
  const upload = async (words: string, more: Partial<TranscriptUpload> = {}) => {
    const turns = conversation(words) as TranscriptUpload['turns']
    return (await client.transcripts.upload(project, { name: words, turns, process: false, ...more })).id
  }
  const uploadAll = async (words: readonly string[]) => {
    const ids: string[] = []
    for (const each of words) ids.push(await upload(each))
    return ids.sort()
  }
  const run = (argv: string[], options?: CliOptions) => clock.until(svc(argv, options))
  const check = (flags: readonly string[] = [], options?: CliOptions) =>
    run(['check', '--stored', '--annotator', 'structural', '--no-cache', ...flags], options)
  const annotate = (flags: readonly string[] = []) =>
    run(['annotate', '--stored', '--annotator', 'structural', ...flags])
  return { ...scripted, upload, uploadAll, run, check, annotate }
}

describe('svc check --stored', () => {
  it('names the project, the transcript and the turn of each finding', async () => {
    const { uploadAll, upload, check, project } = shell()
    await uploadAll(['strong 1', 'mixed'])
    const id = await upload('poor loop')
    const { code, out, json } = await check(['--json'])
    expect([code, json().line]).toEqual([100, 'failed: 1 of 3 transcripts is poor or worse'])
    expect(out).toContain(`${project}/${id}`)
    const { out: shown } = await check(['--project', project])
    expect(shown).toContain(`${project}/${id}, turn 2`)
  })

  it('gives the report that the library gives', async () => {
    const { uploadAll, check, project } = shell()
    await uploadAll(['strong 1', 'mixed'])
    const { json } = await check(['--json', '--model-name', 'none', '--allow-empty'])
    expect(json()).toMatchObject({ verdict: 'passed', total: 0, paths: [project], filters: { model_name: 'none' } })
    expect((await check(['--json'])).json()).toMatchObject({ total: 2, filters: {} })
  })

  it('asks only about what the cache does not have', async () => {
    const { uploadAll, run, upload, asked } = shell()
    await uploadAll(['strong 1', 'strong 2'])
    const check = () => run(['check', '--stored', '--annotator', 'structural', '--cache', 'kept'])
    expect((await check()).code).toBe(0)
    await upload('strong 3')
    expect((await check()).code).toBe(0)
    expect(asked.sort()).toEqual(['strong 1', 'strong 2', 'strong 3'])
  })

  it('counts in --dry-run what was read and what would be asked', async () => {
    const { uploadAll, check, asked } = shell()
    await uploadAll(['strong 1', 'strong 2'])
    const { code, err, lines } = await check(['--dry-run', '--json'])
    expect([code, asked]).toEqual([0, []])
    expect(err).toContain(
      '2 requests (4 messages, about 62 tokens in) would be made for 2 transcripts with structural; 2 list requests and 2 reads were sent, and nothing else\n',
    )
    expect(lines().at(-1)).toMatchObject({ reads: { list: 2, single: 2 }, requests: { least: 2, most: 2 } })
  })

  it('draws a sample by id', async () => {
    const { uploadAll, check, asked } = shell()
    await uploadAll(Array.from({ length: 10 }, (_, at) => `strong ${at}`))
    const { json } = await check(['--sample', '3', '--seed', 'a', '--json'])
    expect(json()).toMatchObject({ total: 3, selection: { sample: 3, seed: 'a', not_selected: 7 } })
    expect(asked).toHaveLength(3)
  })

  it('updates a baseline and is held to it', async () => {
    const { uploadAll, upload, check } = shell()
    await uploadAll(['strong 1', 'poor'])
    const held = ['--baseline', 'base.json']
    expect((await check([...held, '--update-baseline'])).code).toBe(0)
    expect((await check(held)).code).toBe(0)
    await upload('critical')
    expect((await check(held)).code).toBe(100)
    expect((await check([...held, '--update-baseline'])).code).toBe(0)
    expect((await check(held)).code).toBe(0)
  })

  it('checks each shard, and the merge has all', async () => {
    const { uploadAll, check, run } = shell()
    await uploadAll(Array.from({ length: 6 }, (_, at) => `strong ${at}`))
    for (const shard of ['1', '2'])
      expect((await check(['--shard', `${shard}/2`, '--report', `json=${shard}.json`])).code).toBe(0)
    const { code, json } = await run(['report', 'merge', '1.json', '2.json', '--expect', '2', '--json'])
    expect([code, json().total, json().filters]).toEqual([0, 6, {}])
  })

  it('redacts personal data, and refuses credentials with the transcript that has them', async () => {
    const { upload, check, bodies, project } = shell()
    await upload('strong', {
      turns: [
        { role: 'user', content: 'strong' },
        { role: 'user', content: 'a@example.org' },
      ],
    })
    expect((await check(['--redact=all'])).code).toBe(0)
    expect(JSON.stringify(bodies)).not.toContain('example.org')
    const secret = `ghp_${'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z45'.slice(0, 36)}`
    const id = await upload('strong 2', { turns: [{ role: 'user', content: `strong ${secret}` }] })
    const { code, err } = await check()
    expect([code, err]).toEqual([3, expect.stringContaining(`${project}/${id}`)])
    expect(err).not.toContain(secret)
  })

  it('refuses transcripts with losses under --strict', async () => {
    const { upload, check, server, project } = shell()
    const id = await upload('strong')
    const stored = server.world.transcript(id)
    Object.assign(stored?.turns[0] ?? {}, { mood: 'in a good mood' })
    expect((await check()).code).toBe(0)
    const { code, err } = await check(['--strict'])
    expect([code, err]).toEqual([3, expect.stringContaining(`${project}/${id}`)])
    expect(err).toContain('--strict allows no loss')
  })

  it('names the filters that match nothing, and a project without transcripts', async () => {
    const { upload, check, project } = shell()
    const empty = await check()
    expect([empty.code, empty.err]).toEqual([2, expect.stringContaining(`The project ${project} has no transcripts.`)])
    await upload('strong')
    const { code, err } = await check(['--q', 'refund', '--from-date', '2025-12-31'])
    expect([code, err]).toEqual([
      2,
      expect.stringContaining(`No transcript of ${project} matches q=refund and date_from=2025-12-31.`),
    ])
  })

  it('notes the transcripts that a date never sees', async () => {
    const { upload, check } = shell()
    await upload('strong 1')
    await upload('strong 2', { sourceTimestamp: '2025-12-31T00:00:00Z' })
    const note = '1 transcript has no source_timestamp, and date_from and date_to leave it out'
    const { code, err, out } = await check(['--from-date', '7d'])
    expect([code, err]).toEqual([0, expect.stringContaining(`note: ${note}\n`)])
    expect(out).toContain('1 judged')
  })

  it('names a project that the key cannot read, also in the reports', async () => {
    const { check, cwd, server, svc } = shell()
    const missing = 'hp-00000000-0000-4000-8000-000000000000'
    const { code } = await check(['--project', missing, '--report', 'json=report.json'])
    expect(code).toBe(5)
    const { verdict, line } = JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8'))
    expect([verdict, line]).toEqual(['not judged', expect.stringContaining('There is no such project')])
    const { key } = server.world.createKey({ permissions: ['projects-write'] })
    const refused = await svc(['check', '--stored', '--annotator', 'structural'], { env: { SVC_API_KEY: key } })
    expect(refused.code).toBe(4)
  })

  it.each([
    [['--q', 'a', 'conversations'], '--q requires --stored.'],
    [['--project', 'hp-00000000-0000-4000-8000-000000000000', '.'], '--project requires --stored.'],
    [['--stored', 'a.json'], '--stored reads no files, so that a.json cannot be used.'],
    [['--stored', '--format', 'turns'], '--stored reads no files, so that --format cannot be used.'],
    [['--stored', '--files-from', '-'], '--stored reads no files, so that --files-from cannot be used.'],
    [['--stored', '--sample', '2', '--where', 'a=b'], '--sample draws stored transcripts before they are read.'],
    [['--stored', '--seed', '2'], '--seed requires --sample.'],
    [['--stored', '--project', 'p1'], '--project is not a project id: "p1".'],
  ])('refuses %j', async (argv, message) => {
    const { run } = shell()
    const { code, err } = await run(['check', '--annotator', 'structural', ...argv])
    expect([code, err]).toEqual([2, expect.stringContaining(`svc: ${message}`)])
  })

  it('applies the policy here, but not its paths', async () => {
    const { upload, check, cwd } = shell()
    await upload('poor')
    mkdirSync(join(cwd, 'conversations'))
    writeFileSync(join(cwd, 'conversations', 'a.json'), JSON.stringify(conversation('critical')))
    const policy = { failOn: 'critical', paths: ['conversations'] }
    const { code, json } = await check(['--json'], { files: { 'svc.checks.json': policy } })
    expect([code, json().total]).toEqual([0, 1])
  })
})

describe('two days', () => {
  it('are compared as independent samples, and never gate', async () => {
    const { upload, check, run } = shell()
    for (const [day, words] of [
      ['2025-12-30', 'strong'],
      ['2025-12-31', 'critical'],
    ] as const)
      for (let at = 0; at < 20; at++) await upload(`${words} ${at}`, { sourceTimestamp: `${day}T12:00:00Z` })
    const report = (day: string) =>
      check(['--from-date', day, '--to-date', day, '--report', `json=${day}.json`, '--gate-exit-code', '0'])
    expect([(await report('2025-12-30')).code, (await report('2025-12-31')).code]).toEqual([0, 0])
    const { code, json } = await run(['report', 'compare', '2025-12-30.json', '2025-12-31.json', '--json'])
    expect([code, json().verdict]).toEqual([0, 'cannot tell'])
    expect(json().independent).toEqual({
      ...{ old: { judged: 20, fail: 0 }, new: { judged: 20, fail: 20 }, verdict: 'worse' },
    })
  })
})

describe('svc annotate --stored', () => {
  it('prints an annotation for each transcript', async () => {
    const { uploadAll, annotate, project } = shell()
    const ids = await uploadAll(['strong', 'poor loop'])
    const { code, lines } = await annotate(['--json'])
    expect([code, lines().map(({ path }) => path)]).toEqual([0, ids.map((id) => `${project}/${id}`)])
    const { out } = await annotate()
    expect(
      out
        .split('\n')
        .map((line) => line.split('\t')[0])
        .sort(),
    ).toEqual(['', 'poor', 'strong'])
  })

  it('reports those that cannot be read, and annotates the others', async () => {
    const { uploadAll, annotate, server, project } = shell()
    await uploadAll(['strong 1'])
    const [id = ''] = await uploadAll(['strong 2'])
    Object.assign(server.world.transcript(id)?.record ?? {}, { turn_count: 5 })
    const { code, err, lines } = await annotate(['--json'])
    expect([code, err]).toEqual([8, expect.stringContaining(`${project}/${id}: /turns expected all 5 turns; found 2`)])
    expect(lines().map((line) => 'annotation' in line)).toEqual([false, true])
  })

  it('does not end with 0 if the list may lack transcripts', async () => {
    const { uploadAll, annotate, server, clock } = shell()
    await uploadAll(['strong 1'])
    await clock.advance(60_000)
    server.ambiguities.set({ listLagMs: 60_000, totalLags: false } as object)
    await uploadAll(['strong 2'])
    const { code, err, out } = await annotate()
    expect([code, err]).toEqual([8, expect.stringContaining('the service counts 2 transcripts and lists 1')])
    expect(out).toContain('strong 1')
  })

  it('counts requests without annotating', async () => {
    const { uploadAll, annotate, asked } = shell()
    await uploadAll(['strong 1'])
    const { code, err } = await annotate(['--dry-run'])
    expect([code, err, asked]).toEqual([
      0,
      '1 transcript would be annotated with structural; 2 list requests and 1 read were sent, and nothing else\n',
      [],
    ])
  })

  it('needs transcripts', async () => {
    const { run } = shell()
    const { code, err } = await run(['annotate', '--annotator', 'structural'])
    expect([code, err]).toEqual([2, expect.stringContaining('Missing transcripts.')])
  })
})
