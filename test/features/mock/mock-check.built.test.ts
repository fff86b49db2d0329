import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { bin } from '../../helpers/built.js'

const folder = mkdtempSync(join(tmpdir(), 'svc-mock-check-'))
afterAll(() => rmSync(folder, { recursive: true }))
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_')))

/** Run `svc mock --check` around a program of Node; `send` posts to a path of the workspace surface. */
function check(flags: string[], program: string) {
  const send = `const send = (path, body) => fetch(process.env.SVC_PUBLIC_BASE_URL + path, {
    method: body ? 'POST' : 'GET', body: body && JSON.stringify(body),
    headers: { authorization: 'Bearer ' + process.env.SVC_API_KEY, 'content-type': 'application/json' },
  });`
  const script = join(folder, 'program.mjs')
  writeFileSync(script, `${send}\n${program}\n`)
  const argv = [bin, 'mock', '--check', ...flags, '--', process.execPath, script]
  return new Promise<{ code: unknown; out: string; err: string }>((resolve) => {
    execFile(process.execPath, argv, { cwd: folder, env }, (error, out, err) =>
      resolve({ code: error ? error.code : 0, out, err }),
    )
  })
}

const file = (name: string) => join(folder, name)
const wrong = `await send('/projects', { name: 'P', domian: 'general' }); console.log('done')`

describe('svc mock --check', () => {
  it('ends with 100 and a list if a request departs from the interface, though it was answered', async () => {
    expect(await check([], wrong)).toEqual({
      code: 100,
      out: 'done\n',
      err: 'projects.create: body /domian: no such field (did you mean domain?)\n1 request, 1 violation of the interface\n',
    })
  })

  it('passes the exit code of a command on that fails, and lists the violations', async () => {
    const { code, err } = await check([], `${wrong}; process.exit(7)`)
    expect([code, err]).toEqual([7, expect.stringContaining('/domian: no such field')])
  })

  it('ends with 0 if no request departs, and with 101 if there was none', async () => {
    expect(await check([], `await send('/projects?limit=5')`)).toMatchObject({
      code: 0,
      err: '1 request, 0 violations of the interface\n',
    })
    expect(await check([], '')).toMatchObject({
      code: 101,
      err: expect.stringContaining('no request reached the server'),
    })
  })

  it('holds also what the program makes the server forget', async () => {
    const reset = `await fetch(process.env.SVC_CONTROL_URL + '/reset', {
      method: 'POST', headers: { authorization: 'Bearer ' + process.env.SVC_CONTROL_TOKEN },
    })`
    expect(await check(['--control'], `${wrong}; ${reset}`)).toMatchObject({ code: 100 })
  })

  it('writes the violations as JSON and JUnit, in place of those of an earlier run', async () => {
    const flags = ['--report', 'json=check.json', '--report', 'junit=check.xml']
    await check(flags, wrong)
    expect(JSON.parse(readFileSync(file('check.json'), 'utf8'))).toEqual({
      schema: 'svc/mock-check@1',
      requests: 1,
      unchecked: 0,
      dropped: 0,
      violations: [
        {
          operation: 'projects.create',
          method: 'POST',
          path: '/projects',
          at: expect.any(Number),
          in: 'body',
          name: '/domian',
          problem: 'no such field (did you mean domain?)',
          requests: 1,
        },
      ],
    })
    expect(readFileSync(file('check.xml'), 'utf8')).toContain(
      '<failure message="projects.create: body /domian: no such field (did you mean domain?)"/>',
    )
    await check(flags, `await send('/projects')`)
    expect(readFileSync(file('check.json'), 'utf8')).toContain('"violations":[]')
    expect(readFileSync(file('check.xml'), 'utf8')).toContain(
      '<testcase classname="svc mock --check" name="projects.list"/>',
    )
    expect(await check([...flags, '--seed', 'none.json'], '')).toMatchObject({ code: 3 })
    expect([existsSync(file('check.json')), existsSync(file('check.xml'))]).toEqual([false, false])
  })

  it.each([
    [['--report', 'json=-'], 2, 'Standard output belongs to the command; give --report a file.'],
    [['--report', 'html=x.html'], 2, 'Expected FORMAT=FILE; formats: json, junit.'],
    [['--seed', 'seed.json', '--report', 'json=seed.json'], 2, 'are the same file'],
  ])('refuses %j before it starts', async (flags, code, message) => {
    writeFileSync(file('seed.json'), '{}')
    const result = await check(flags, wrong)
    expect([result.code, result.out, result.err]).toEqual([code, '', expect.stringContaining(message)])
    expect(readFileSync(file('seed.json'), 'utf8')).toBe('{}')
  })
})
