import { describe, expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'

const run = (id: string, inputs: object, outputs: object) => ({
  id,
  trace_id: id,
  run_type: 'chain',
  start_time: '2026-01-01T10:00:00Z',
  inputs,
  outputs,
})
const good = [
  run('r1', { user_query: 'Where is it?' }, { reply: 'There.' }),
  run('r3', { wish: 'Go on' }, { reply: 'No.' }),
]
const lines = (...records: unknown[]) => records.map((record) => JSON.stringify(record)).join('\n')
const mixed = { 'in/traces.jsonl': lines(good[0], run('r2', {}, {}), good[1]) }
const problem = 'in/traces.jsonl:2:1 expected at least one turn, found none with any content (id "r2")'

describe.each(['in/traces.jsonl', 'in'])('a trace without speech beside others in %s', (path) => {
  it('is a problem of svc convert, which writes nothing', async () => {
    const { svc } = createShell()
    const { code, out, err } = await svc(['convert', path], { files: mixed })
    expect([code, out]).toEqual([3, ''])
    expect(err).toContain(problem)
  })

  it('is a problem of svc upload, which sends nothing unless it is to leave out what is invalid', async () => {
    const { svc, server } = createShell()
    const refused = await svc(['upload', path], { files: mixed })
    expect([refused.code, server.requests.length]).toEqual([3, 0])
    expect(refused.err).toContain(problem)
    const partly = await svc(['upload', path, '--continue-on-invalid'])
    expect([partly.code, partly.out.trim().split('\n').length]).toEqual([8, 2])
    expect(partly.err).toContain(problem)
  })

  it('is not judged by svc check, which counts it', async () => {
    const { svc } = createShell()
    const { code, err, out } = await svc(['check', path, '--annotator', 'structural', '--no-policy'], { files: mixed })
    expect(code).toBe(101)
    expect(out + err).toContain('1 of 3 not judged')
    expect(out + err).toContain('(id "r2")')
  })
})

it('svc upload of a stream sends nothing after a trace without speech', async () => {
  const { svc } = createShell()
  const { code, out, err } = await svc(['upload', '-'], { stdin: mixed['in/traces.jsonl'] })
  expect([code, out.trim().split('\n').length]).toEqual([8, 1])
  expect(err).toContain('Nothing was sent after the first problem.')
})

it('svc convert notes the failed requests of a batch by id, reason and line', async () => {
  const { svc } = createShell()
  const answered = { response: { body: { choices: [{ message: { role: 'assistant', content: 'Hi.' } }] } } }
  const failed = ['b', 'c', 'd', 'e'].map((id) => ({ custom_id: id, response: null, error: { message: 'Too late.' } }))
  const { code, out, err } = await svc(['convert', 'out.jsonl'], {
    files: { 'out.jsonl': lines({ custom_id: 'a', ...answered }, ...failed) },
  })
  expect([code, out.trim().split('\n').length]).toEqual([0, 1])
  expect(err).toContain(
    'note: out.jsonl: 4 records skipped: the request "b" has no answer: Too late. (line 2), the request "c"',
  )
  expect(err).toContain('(line 4) and 1 more')
})
