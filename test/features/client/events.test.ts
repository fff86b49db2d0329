import { spawnSync } from 'node:child_process'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createClient } from '../../../packages/client/src/create-client.js'
import { failureOf, json, project, scripted, upload } from '../../../packages/client/test/fixtures/scripted.js'

describe('secrets', () => {
  it('secrets are not shown by inspect, JSON, errors or events', async () => {
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
  it('a listener that fails, at once or later, does not affect the call', async () => {
    const bad = () => {
      throw new Error('metrics')
    }
    for (const onEvent of [bad, async () => bad()]) {
      const { svc } = scripted([json(project)], { onEvent, logger: { debug: bad, warn: bad } })
      expect((await svc.projects.get('hp-1')).name).toBe('P')
    }
  })

  it('a listener of one call receives the events of that call only', async () => {
    const { svc, events } = scripted([json(project), json(project)])
    const own: unknown[] = []
    await svc.projects.get('hp-1', { onEvent: (event) => own.push(event) })
    await svc.projects.get('hp-1')
    expect(own).toEqual(events.slice(0, 2))
    expect(events).toHaveLength(4)
  })

  it('receives the events as lines', async () => {
    const lines: string[] = []
    const logger = { debug: (line: string) => lines.push(line), warn: (line: string) => lines.push(line) }
    const { svc, clock } = scripted([json({}, 503), json(project)], { logger })
    const call = svc.projects.get('hp-1')
    await clock.advance(1_000)
    await call
    expect(lines.map((line) => line.slice(0, 1))).toEqual(['→', '←', '…', '→', '←'])
  })
})

describe('the log', () => {
  const logged = async (options: object) => {
    const lines: string[] = []
    const logger = { debug: (line: string) => lines.push(line), warn: (line: string) => lines.push(line) }
    const { svc, clock } = scripted([json({}, 503), json(project)], { logger, ...options })
    await clock.until(svc.projects.get('hp-1'))
    return lines.map((line) => line.slice(0, 1)).join('')
  }

  it('holds everything at the level debug, waits at warn, and nothing at off', async () => {
    expect(await logged({ logLevel: 'debug' })).toBe('→←…→←')
    expect(await logged({ logLevel: 'warn' })).toBe('…')
    expect(await logged({ logLevel: 'off' })).toBe('')
  })

  it('takes its level from SVC_LOG unless an option gives one', async () => {
    expect(await logged({ environment: { SVC_LOG: 'warn' } })).toBe('…')
    expect(await logged({ environment: { SVC_LOG: 'warn' }, logLevel: 'off' })).toBe('')
  })

  it('refuses an unknown level with the known ones', () => {
    expect(() => createClient({ environment: {}, logLevel: 'loud' as never })).toThrow(
      'logLevel: expected off, warn, debug, got a text.',
    )
    expect(() => createClient({ environment: { SVC_LOG: 'info' } })).toThrow(
      'SVC_LOG: expected off, warn, debug, got a text.',
    )
  })

  it('the log goes to standard error of Node without a logger', () => {
    const program = `import { createClient } from ${JSON.stringify(new URL('../../../packages/client/src/index.ts', import.meta.url).href)}
      const fetch = async () => new Response('{"status":"ok","substrate":"lambda"}')
      await createClient({ baseUrl: 'https://svc.test', fetch }).health()`
    const { stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
      encoding: 'utf8',
      env: { ...process.env, SVC_LOG: 'debug' },
    })
    expect([stdout, stderr]).toEqual([
      '',
      expect.stringMatching(/^→ health GET .* \(attempt 1\)\n← health GET .* 200 in/),
    ])
  })
})

describe('Node’s diagnostics channel', () => {
  it('publishes the events while it has a subscriber', async () => {
    const { channel } = await import('node:diagnostics_channel')
    const reported: unknown[] = []
    const listener = (event: unknown) => reported.push(event)
    const { svc } = scripted([json(project), json(project)], { onEvent: undefined })
    channel('svc.client').subscribe(listener)
    await svc.projects.get('hp-1')
    channel('svc.client').unsubscribe(listener)
    await svc.projects.get('hp-1')
    const call = { operation: 'projects.get', method: 'GET', url: 'https://svc.test/public/api/v1/projects/hp-1' }
    expect(reported).toEqual([
      { ...call, type: 'request', attempt: 1 },
      { ...call, type: 'response', attempt: 1, status: 200, ms: 0, requestId: undefined },
    ])
  })
})

describe('a key that looks like a JWT', () => {
  it('a key that looks like a JWT is sent, and warned about once', async () => {
    const { svc, events, requests } = scripted([json(project), json(project)], { apiKey: 'eyJhbGciOi' })
    await svc.projects.get('hp-1')
    await svc.with({ timeoutMs: 5 }).projects.get('hp-1')
    const warnings = events.filter(({ type }) => type === 'warning')
    expect(warnings).toMatchObject([{ operation: 'projects.get', message: expect.stringContaining('JWT') }])
    expect(JSON.stringify(events)).not.toContain('eyJhbGciOi')
    expect(requests.map(({ headers }) => headers.get('authorization'))).toEqual(Array(2).fill('Bearer eyJhbGciOi'))
  })
})
