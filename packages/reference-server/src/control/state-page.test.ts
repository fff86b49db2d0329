import { expect, test } from 'vitest'
import { createServer, steeredClock } from '../core.js'

const ask = (server: ReturnType<typeof createServer>, path: string, headers: Record<string, string> = {}) =>
  server.fetch(`https://svc.test${path}`, { headers })

test('the page shows projects, keys by name, clock, faults and limits, escaped, without a key and without scripts', async () => {
  const clock = steeredClock({ now: () => Date.UTC(2026, 0, 1), after: () => () => {} })
  const server = createServer({
    clock,
    control: { token: 't' },
    seed: { keys: [{ key: 'sk-service-api03-secretsecret', name: 'CI' }, { key: 'other-key' }] },
    limits: { requests: 7, windowMs: 1000, saturation: { requests: 9, windowMs: 1000 } },
    faults: ['health: status; code=503'],
  })
  server.world.createProject({ name: '<script>alert(1)</script>' })
  await ask(server, '/v1/annotator')
  clock.stop()
  const response = await ask(server, '/_svc/')
  const page = await response.text()
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'.*frame-ancestors 'none'$/)
  for (const part of [
    '2026-01-01T00:00:00.000Z, stopped',
    '<td>CI</td>',
    '<td>without a name</td>',
    '&#60;script&#62;',
    '<td>GET /v1/annotator: path: no such path (did you mean /v1/annotators?)</td>',
    '<td>DELETE _svc/requests</td><td>operation, until</td>',
  ])
    expect(page).toContain(part)
  for (const part of ['&#34;requests&#34;:7', '&#34;requests&#34;:9', '&#34;code&#34;:503'])
    expect(page).toContain(part)
  expect(page).not.toMatch(/<script|secret|other-key/)
})

test('a long list shows its latest rows and its length', async () => {
  const server = createServer({ control: { token: 't' } })
  for (let at = 0; at < 201; at += 1) server.world.createProject({ name: `Project ${at}.` })
  const page = await (await ask(server, '/_svc/')).text()
  expect(page).toContain('The latest 200 of 201.')
  expect([page.includes('Project 0.'), page.includes('Project 200.')]).toEqual([false, true])
})

test('the description page links to the state only where the control plane is on, and without it says how to turn it on', async () => {
  const on = createServer({ control: { token: 't' } })
  expect(await (await ask(on, '/docs')).text()).toContain('<a href="_svc/">')
  expect((await ask(on, '/_svc')).headers.get('location')).toBe('_svc/')
  expect((await ask(on, '/_svc/', { origin: 'https://evil.example' })).status).toBe(403)
  const off = createServer()
  expect(await (await ask(off, '/docs')).text()).not.toContain('_svc')
  for (const path of ['/_svc', '/_svc/']) {
    const response = await ask(off, path)
    expect([response.status, (await response.json()).detail]).toEqual([404, expect.stringContaining('--control')])
  }
})
