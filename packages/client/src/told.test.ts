import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { failureOf, json, project, scripted, upload } from './scripted-fixture.js'

describe('secrets', () => {
  it('are not shown by inspect, JSON, errors or events', async () => {
    const bad = json({ error: { message: 'no', type: 'invalid_request_error', code: 400 }, input: 'my words' }, 400)
    const { svc, events } = scripted([bad, json({ data: [], processing_time_ms: 1 })])
    const error = await failureOf(svc.transcripts.upload('hp-1', upload))
    await svc.transcripts.list('hp-1', { q: 'my words' })
    const shown = [svc, error, events].map((value) => `${inspect(value, { depth: 9 })} ${JSON.stringify(value)}`).join()
    expect(shown).not.toContain('secret')
    expect(shown).not.toContain('my words')
    expect(shown).not.toContain('my%20words')
    expect(error.body).toMatchObject({ input: 'my words' })
  })
})

describe('a listener', () => {
  it('that fails, at once or later, is no part of the call', async () => {
    const bad = () => {
      throw new Error('metrics')
    }
    for (const onEvent of [bad, async () => bad()]) {
      const { svc } = scripted([json(project)], { onEvent, logger: { debug: bad, warn: bad } })
      expect((await svc.projects.get('hp-1')).name).toBe('P')
    }
  })

  it('is told in lines what a call does', async () => {
    const lines: string[] = []
    const logger = { debug: (line: string) => lines.push(line), warn: (line: string) => lines.push(line) }
    const { svc, clock } = scripted([json({}, 503), json(project)], { logger })
    const call = svc.projects.get('hp-1')
    await clock.advance(1_000)
    await call
    expect(lines.map((line) => line.slice(0, 1))).toEqual(['→', '←', '…', '→', '←'])
  })
})
