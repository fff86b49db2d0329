import { describe, expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'

// Less than the 1 MiB that a file of options may have.
const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`
const transcript = { name: 't', turns: [{ role: 'user', content: 'Hi' }] }

describe.each([
  ['nesting', deep],
  ['a number above 1.8e308', '{"a":1e400}'],
])('JSON with %s', (_, json) => {
  it('is refused in options and in a policy, before anything is sent', async () => {
    const { svc, server } = createShell()
    const files = {
      't.json': transcript,
      'options.json': json,
      'policy.json': `{"annotator":"structural","options":${json}}`,
    }
    const annotate = ['annotate', 't.json', '--annotator', 'structural']
    const fromFile = await svc([...annotate, '--options', 'options.json'], { files })
    const fromFlag = await svc([...annotate, '--option', `a=${json}`])
    const fromPolicy = await svc(['check', 't.json', '--policy', 'policy.json'])
    expect([fromFile.code, fromFlag.code, fromPolicy.code]).toEqual([3, 2, 3])
    for (const { err } of [fromFile, fromFlag, fromPolicy]) expect(err).toMatch(/levels of nesting/)
    expect(server.requests).toEqual([])
  })

  it('is read or refused in a transcript, with a loss, and its text is kept among the rejects', async () => {
    const { svc } = createShell()
    const record = `{"name":"t","turns":[{"role":"user","content":"x","metadata":${json}}]}`
    const converted = await svc(['convert', 't.json', '--to', 'upload'], { files: { 't.json': record } })
    expect(converted.code === 0 ? converted.err : 'levels of nesting').toMatch(/dropped number above|levels of nesting/)
    const invalid = `{"name":"t","turns":[],"metadata":${json}}`
    await svc(['upload', 'r.json', '--rejects', 'rejects.jsonl', '--continue-on-invalid'], {
      files: { 'r.json': invalid },
    })
    expect((await svc(['upload', '--retry-rejects', 'rejects.jsonl', '--dry-run'])).err).not.toContain('bug')
  })
})
