import { type CheckOptions, check, estimatePlan, planCheck, type StoredOptions, storedTranscripts } from '@svc/checks'
import type { TranscriptDetail, TranscriptFilters, TranscriptUpload } from '@svc/client'
import { describe, expect, it } from 'vitest'
import { conversation, scriptedShell } from '../../helpers/scripted-annotator.js'

/** A service with stored transcripts, which shows each as `shown` makes it. */
function service(shown: (record: TranscriptDetail) => unknown = (record) => record) {
  const shell = scriptedShell()
  const { project, server, clock } = shell
  const paths: string[] = []
  const client = shell.client({
    async fetch(request) {
      const { pathname } = new URL(request.url)
      paths.push(pathname.replace(/^\/public\/api/, ''))
      const response = await shell.fetch(request)
      if (!response.ok || !/\/transcripts\/tr_[^/]+$/.test(pathname)) return response
      const { data, ...rest } = (await response.json()) as { data: TranscriptDetail }
      const record = shown(data)
      return record instanceof Response ? record : Response.json({ ...rest, data: record })
    },
  })
  const upload = async (words: string, more: Partial<TranscriptUpload> = {}) => {
    const turns = conversation(words) as TranscriptUpload['turns']
    return shell.client().transcripts.upload(project, { name: words, turns, process: false, ...more })
  }
  const uploadAll = async (words: readonly string[]) => {
    const ids: string[] = []
    for (const each of words) ids.push((await upload(each)).id)
    return ids.sort()
  }
  const checked = (filters?: TranscriptFilters, options?: StoredOptions, more: Partial<CheckOptions> = {}) =>
    clock.until(
      check({
        client,
        annotator: 'structural',
        transcripts: storedTranscripts(client, project, filters, { clock, ...options }),
        clock,
        ...more,
      }),
    )
  return { ...shell, client, paths, upload, uploadAll, checked, server }
}

const named = (words: string) => (record: TranscriptDetail) => record.name === words

describe('a check of stored transcripts', () => {
  it('lists and reads those of a project, and names project, transcript and turn', async () => {
    const { uploadAll, checked, project, server } = service()
    const ids = await uploadAll(['strong 1', 'poor loop', 'mixed'])
    const { verdict, report, cases } = await checked()
    expect([verdict, report.line]).toEqual(['failed', 'failed: 1 of 3 transcripts is poor or worse'])
    expect(cases.map(({ path }) => path)).toEqual(ids.map((id) => `${project}/${id}`))
    expect([report.paths, report.filters]).toEqual([[project], {}])
    const failed = cases.find(({ result }) => result === 'failed')
    expect(failed).toMatchObject({ name: 'poor loop', line: null, signals: [{ key: 'loop', turn: 2, line: null }] })
    const { record } = server.world.transcripts(project).find((each) => each.record.name === 'poor loop') ?? {}
    expect(failed?.path).toBe(`${project}/${record?.id}`)
  })

  it('judges the messages that the file of an upload gives', async () => {
    const { upload, checked, bodies } = service()
    await upload('strong', {
      turns: [
        { role: 'user', content: 'strong' },
        { role: 'assistant', content: '', toolCalls: [{ name: 'get', args: { id: 7 } }] },
        { role: 'tool', content: '', toolResults: [{ name: 'get', result: 'sent' }] },
      ],
    })
    const { verdict } = await checked()
    expect(verdict).toBe('passed')
    expect(bodies[0]?.transcript).toEqual([
      { role: 'user', content: 'strong', is_user_visible: true },
      { role: 'assistant', content: '[tool_call get] {"id":7}', is_user_visible: false },
      { role: 'tool', content: '[tool_result get] sent', is_user_visible: false },
    ])
  })

  it('passes the filters on, and records them', async () => {
    const { upload, checked, paths } = service()
    await upload('strong', { modelName: 'a' })
    await upload('critical', { modelName: 'b' })
    const { verdict, report } = await checked({ model_name: 'a' })
    expect([verdict, report.total, report.filters]).toEqual(['passed', 1, { model_name: 'a' }])
    expect(paths.filter((path) => /\/transcripts\/tr_/.test(path))).toHaveLength(1)
  })

  it.each<[string, (record: TranscriptDetail) => unknown, string]>([
    [
      'an unknown role',
      (record) => ({ ...record, turns: [{ role: 'narrator', content: 'a' }, ...(record.turns ?? []).slice(1)] }),
      '/turns/0/role expected a role of user, assistant, system, tool, human_agent; found the string "narrator"',
    ],
    [
      'a tool call in another form',
      (record) => ({ ...record, turns: record.turns?.map((turn) => ({ ...turn, tool_calls: [{ id: 'c' }] })) }),
      '/turns/0/tool_calls expected an array of { name, args }; found an array of 1 whose first element is an object with keys id; /turns/1/tool_calls expected an array of { name, args }; found an array of 1 whose first element is an object with keys id',
    ],
    [
      'fewer turns than it counts',
      (record) => ({ ...record, turns: record.turns?.slice(1) }),
      '/turns expected all 2 turns; found 1',
    ],
    ['no turns', ({ turns: _, ...record }) => record, '/turns expected all 2 turns; found 0'],
    [
      'no turns and no count of them',
      ({ turns: _, turn_count: __, ...record }) => record,
      '/turns expected turns; found 0',
    ],
    [
      'turns under another name',
      ({ turns, ...record }) => ({ ...record, messages: turns }),
      '/turns expected all 2 turns; found 0',
    ],
    [
      'content that is hidden',
      (record) => ({ ...record, turns: record.turns?.map((turn) => ({ ...turn, content: null })) }),
      '/turns/0/content expected content that is text; found null; /turns/1/content expected content that is text; found null',
    ],
    ['another record', (record) => ({ ...record, id: 'tr_other' }), 'the service answered with the record tr_other'],
  ])('does not judge a transcript with %s', async (_, shown, detail) => {
    const { uploadAll, checked } = service((record) => (named('strong 2')(record) ? shown(record) : record))
    await uploadAll(['strong 1', 'strong 2'])
    const { verdict, report, cases } = await checked()
    expect([verdict, report.exit, report.judged]).toEqual(['not judged', 101, 1])
    expect(cases.flatMap(({ gap }) => gap ?? [])).toEqual([{ why: 'unreadable', detail, temporary: false }])
  })

  it('judges a transcript whose record has further fields, and reports texts among them as losses', async () => {
    const { uploadAll, checked } = service((record) => ({
      ...record,
      turns: record.turns?.map((turn, at) => ({ ...turn, id: `tn_${at}`, mood: 'in a good mood' })),
    }))
    await uploadAll(['strong 1'])
    const { verdict, report } = await checked()
    expect(verdict).toBe('passed')
    expect(report.losses.map(({ what, count }) => [what, count])).toEqual([['field "mood"', 2]])
  })

  it('does not pass while transcripts cannot be read, and says if a further run may read them', async () => {
    const { uploadAll, checked } = service((record) =>
      named('strong 2')(record) ? Response.json({}, { status: 503 }) : record,
    )
    await uploadAll(['strong 1', 'strong 2'])
    const { report, cases } = await checked()
    expect([report.exit, report.line]).toEqual([
      75,
      'could not judge: 1 of 2 not judged; temporary failures, run it again',
    ])
    expect(cases.flatMap(({ gap }) => gap?.why ?? [])).toEqual(['unreadable'])
  })

  it('reads no more after an outage', async () => {
    const { uploadAll, checked, paths } = service(() => Response.json({}, { status: 503 }))
    const words = Array.from({ length: 30 }, (_, at) => `strong ${at}`)
    const ids = await uploadAll(words)
    const { report } = await checked({}, { concurrency: 2 })
    expect([report.exit, report.total]).toEqual([75, 30])
    const asked = new Set(paths.filter((path) => /\/transcripts\/tr_/.test(path)))
    expect(asked.size).toBeLessThan(10)
    expect(report.cases.at(-1)).toMatchObject({
      path: expect.stringContaining(ids.at(-1) ?? ''),
      gap: { detail: 'not read: 6 requests in a row failed', temporary: true },
    })
  })

  it('throws the error of a project that the key cannot read', async () => {
    const { client, clock } = service()
    const foreign = 'hp-00000000-0000-4000-8000-000000000000'
    const transcripts = storedTranscripts(client, foreign, {}, { clock })
    await expect(clock.until(check({ client, annotator: 'structural', transcripts, clock }))).rejects.toMatchObject({
      status: 404,
    })
  })

  it('throws the reason of an abort', async () => {
    const { uploadAll, checked } = service()
    await uploadAll(['strong 1'])
    const signal = AbortSignal.abort('enough')
    await expect(checked({}, { signal })).rejects.toBe('enough')
  })

  it('does not judge what is left at its deadline', async () => {
    const { uploadAll, checked } = service()
    await uploadAll(['strong 1'])
    await expect(checked({}, { deadlineMs: 0 })).rejects.toMatchObject({ code: 'deadline_passed' })
  })
})

describe('a list of stored transcripts', () => {
  it('never passes if the service counts more than it lists', async () => {
    const { uploadAll, checked, server, project } = service()
    server.ambiguities.set({ listLagMs: 60_000, totalLags: false } as object)
    await uploadAll(['strong 1', 'strong 2'])
    const { report, cases } = await checked({}, {}, { policy: { minJudged: '0%' } })
    expect([report.exit, cases.map(({ path, gap }) => [path, gap])]).toEqual([
      101,
      [
        [
          project,
          {
            ...{ why: 'incomplete', temporary: false },
            detail: 'the list is incomplete: the service counts 2 transcripts and lists 0',
          },
        ],
      ],
    ])
  })

  it('never passes if the service does not show where it ends', async () => {
    const { uploadAll, checked, server } = service()
    server.ambiguities.set({ pastEnd: 400, pagination: 'none' })
    await uploadAll(Array.from({ length: 100 }, (_, at) => `strong ${at}`))
    const { report, cases } = await checked()
    expect([report.exit, report.judged, report.total]).toEqual([101, 100, 101])
    expect(cases.at(-1)?.gap?.detail).toBe('the list is incomplete: the service does not show where it ends')
  })

  it('fails for what it shows, even if it may lack transcripts', async () => {
    const { uploadAll, checked, server, clock } = service()
    await uploadAll(['critical'])
    await clock.advance(60_000)
    server.ambiguities.set({ listLagMs: 60_000, totalLags: false } as object)
    await uploadAll(['strong'])
    const { report } = await checked()
    expect([report.verdict, report.exit]).toEqual(['failed', 100])
  })

  it('says how many transcripts a filter of dates never sees', async () => {
    const { upload, checked } = service()
    await upload('strong 1', { sourceTimestamp: '2025-12-30T00:00:00Z', modelName: 'a' })
    await upload('strong 2', { modelName: 'a' })
    await upload('strong 3', { modelName: 'b' })
    const noteOf = async (filters: TranscriptFilters) => (await checked(filters)).report.notes
    expect(await noteOf({ date_from: new Date('2025-12-01'), model_name: 'a' })).toEqual([
      '1 transcript has no source_timestamp, and date_from and date_to leave it out',
    ])
    expect(await noteOf({ date_to: '2026-01-01' })).toEqual([
      '2 transcripts have no source_timestamp, and date_from and date_to leave them out',
    ])
    expect(await noteOf({})).toEqual([])
  })

  it('says nothing about dates if the service shows no totals', async () => {
    const { upload, checked, server } = service()
    server.ambiguities.set({ total: 'none' })
    await upload('strong 1', { sourceTimestamp: '2025-12-30T00:00:00Z' })
    await upload('strong 2')
    expect((await checked({ date_from: '2025-12-01' })).report.notes).toEqual([])
  })

  it('draws a sample by id before the transcripts are read', async () => {
    const { uploadAll, checked, paths, asked } = service()
    const ids = await uploadAll(Array.from({ length: 20 }, (_, at) => `strong ${at}`))
    const sampled = async (options: StoredOptions) => {
      paths.length = 0
      const { report } = await checked({}, options)
      return [report.cases.map(({ path }) => path.replace(/.*\//, '')), report.selection] as const
    }
    const [first, selection] = await sampled({ sample: 3 })
    expect(selection).toEqual({ sample: 3, seed: '0', only_failed: null, where: {}, not_selected: 17 })
    expect(paths.filter((path) => /\/transcripts\/tr_/.test(path))).toHaveLength(3)
    expect(asked).toHaveLength(3)
    expect(ids).toEqual(expect.arrayContaining(first as string[]))
    expect((await sampled({ sample: 3 }))[0]).toEqual(first)
    expect((await sampled({ sample: 3, seed: '1' }))[0]).not.toEqual(first)
  })

  it('is planned with its list, single and annotation requests', async () => {
    const { uploadAll, client, project, clock, paths, asked } = service()
    await uploadAll(Array.from({ length: 120 }, (_, at) => `strong ${at}`))
    const transcripts = storedTranscripts(client, project, {}, { clock })
    const plan = await clock.until(planCheck({ annotator: 'structural', transcripts, clock }))
    expect(paths.filter((path) => path.endsWith('/transcripts'))).toHaveLength(2)
    const { reads, least, most } = await estimatePlan(plan, { client: async () => client })
    expect([reads, least, most, asked]).toEqual([{ list: 2, single: 120 }, 120, 120, []])
  })

  it('is not drawn from a second time', async () => {
    const { uploadAll, checked } = service()
    await uploadAll(['strong 1'])
    await expect(checked({}, {}, { select: { sample: 1 } })).rejects.toMatchObject({ code: 'invalid_option' })
  })
})
