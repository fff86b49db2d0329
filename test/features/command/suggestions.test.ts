import { describe, expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'

const conversation = JSON.stringify([{ role: 'user', content: 'hi' }])

describe('a word that is nearly right', () => {
  it('gets a suggestion for commands, flags and choices', async () => {
    const { svc } = createShell()
    expect(await svc(['uplod'])).toMatchObject({ code: 2, err: expect.stringContaining('hint: Did you mean upload?') })
    expect((await svc(['projects', 'lst'])).err).toContain('hint: Did you mean list?')
    expect((await svc(['health', '--jsno'])).err).toContain('hint: Did you mean --json?')
    expect((await svc(['check', '.', '--annotator', 'a', '--fail-on', 'bad'])).err).toContain('strong, mixed, poor')
  })

  it('a word that is nearly right is met with the nearest annotator, before all that there are', async () => {
    const { svc } = createShell()
    const { code, err } = await svc(['annotate', '-', '--annotator', 'structral'], { stdin: conversation })
    expect(code).toBe(5)
    expect(err).toMatch(/hint: did you mean structural\? the registry has .*structural/)
    expect((await svc(['annotate', '-', '--annotator', 'zzzzzzzz'], { stdin: conversation })).err).toMatch(
      /hint: the registry has/,
    )
  })

  it('a word that is nearly right is met with the project of that id or name, where the key may read them', async () => {
    const { svc, project, server } = createShell()
    server.world.createProject({ name: 'Support desk' })
    const near = `${project.slice(0, -1)}${project.endsWith('0') ? '1' : '0'}`
    for (const argv of [
      ['projects', 'get', near],
      ['transcripts', 'list', '--project', near],
    ]) {
      expect(await svc(argv)).toMatchObject({
        code: 5,
        err: expect.stringContaining(`hint: did you mean ${project}, "Test project"?`),
      })
    }
    expect((await svc(['projects', 'get', 'support-desk'])).err).toContain('"Support desk"?')
  })

  it('a word that is nearly right is not looked for with a key that may not read', async () => {
    const { svc, server, project } = createShell()
    const key = server.world.createKey({ permissions: ['projects-write'] }).key
    const { code, err } = await svc(['projects', 'get', project], { env: { SVC_API_KEY: key } })
    expect(code).toBe(4)
    expect(err).not.toContain('did you mean')
  })
})
