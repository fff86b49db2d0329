import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { bin } from '../../helpers/built.js'
import { cleanEnv, onTerminal } from '../../helpers/own-service.js'

it('prints each request as a document after the ready one with --json --verbose, and ends its output with a signal', async () => {
  const serving = spawn(
    process.execPath,
    [bin, 'mock', '--json', '--verbose', '--fault', 'health: reset-before; times=1'],
    {
      env: cleanEnv,
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  )
  const lines = createInterface(serving.stdout)[Symbol.asyncIterator]()
  const next = async () => JSON.parse((await lines.next()).value)
  const { schema, SVC_BASE_URL, SVC_PUBLIC_BASE_URL, SVC_API_KEY } = await next()
  expect(schema).toBe('svc/mock@1')
  const headers = { authorization: `Bearer ${SVC_API_KEY}`, 'content-type': 'application/json' }
  await fetch(`${SVC_PUBLIC_BASE_URL}/projects`, { method: 'POST', headers, body: '{"name":"P","domian":"general"}' })
  expect(await next()).toMatchObject({
    schema: 'svc/mock-request@1',
    operation: 'projects.create',
    status: 201,
    body: { name: 'P' },
    problems: [{ in: 'body', name: '/domian' }],
    key: expect.not.stringMatching(SVC_API_KEY),
  })
  await expect(fetch(`${SVC_BASE_URL}/health`)).rejects.toThrow('fetch failed')
  expect(await next()).toMatchObject({ operation: 'health', ran: false, faults: ['reset-before'] })
  serving.kill('SIGTERM')
  expect(await once(serving, 'exit')).toEqual([143, null])
  expect(await lines.next()).toMatchObject({ done: true })
})

it('leaves standard output to a command with --json --verbose', async () => {
  const argv = [bin, 'mock', '--json', '--verbose', '--', 'sh', '-c', 'svc api GET /projects --surface workspace']
  const running = spawn(process.execPath, argv, { env: cleanEnv, stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, err] = await Promise.all([text(running.stdout), text(running.stderr)])
  expect(JSON.parse(out)).toMatchObject({ data: [{ name: 'Mock project' }] })
  expect(err).toMatch(/^200 GET workspace \/projects \S+$/m)
})

it('tells a person at a terminal where the shell leads, and three commands that work there', async () => {
  const { pty, ended } = onTerminal(['mock', '--', 'sh'], { ...cleanEnv, PS1: 'ready> ' })
  const seen = { text: '' }
  pty.onData((data) => {
    seen.text += data
  })
  await expect.poll(() => seen.text).toContain('ready> ')
  expect(seen.text).toMatch(
    /reference server at http:\S+, project hp-\S+; uploaded transcripts stay queued\r\ntry: svc upload FILE, svc transcripts list, svc check FILE --annotator structural\r\nexit leaves the shell and stops the server\r\n/,
  )
  pty.write('exit\r')
  expect((await ended).code).toBe(0)
})

it('says nothing of that beside another command at a terminal', async () => {
  const { sent } = await onTerminal(['mock', '--', 'true'], cleanEnv).ended
  expect(sent).toBe('')
})

it('says nothing of that to a script', async () => {
  const running = spawn(process.execPath, [bin, 'mock', '--', 'sh', '-c', 'true'], {
    env: cleanEnv,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  expect([await text(running.stdout), await text(running.stderr)]).toEqual(['', ''])
})
