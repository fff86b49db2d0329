import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { blocksOf } from '../../helpers/blocks.js'
import { createShell } from '../../helpers/run-cli.js'

const page = readFileSync('packages/cli/skills/svc/SKILL.md', 'utf8')
const conversation = [
  { role: 'user', content: 'Where is order 7?' },
  { role: 'assistant', content: 'It left the warehouse this morning.' },
]
const files = { 'conversations/a.json': conversation }

describe('the skill of svc', () => {
  it('is what svc skill prints, in at most 60 lines', async () => {
    expect(await createShell().svc(['skill'])).toMatchObject({ code: 0, err: '', out: page })
    expect(page).toMatch(/^---\nname: svc\ndescription: .+\n---\n/)
    expect(page.split('\n').length).toBeLessThanOrEqual(60)
  })

  it('shows commands that run without a terminal, and print JSON where they say so', async () => {
    const { svc } = createShell()
    const commands = blocksOf(page, 'sh').flatMap((block) => block.trim().split('\n'))
    expect(commands.length).toBeGreaterThan(6)
    for (const command of commands) {
      const { code, out, err } = await svc(command.split(' ').slice(1), { files })
      expect([command, code, err]).toEqual([command, 0, expect.any(String)])
      if (command.endsWith('--json')) for (const line of out.trim().split('\n')) JSON.parse(line)
    }
  })

  it('names every exit code as svc explain does', async () => {
    const { svc } = createShell()
    const codes = [...page.matchAll(/^\| ([\d, ]+?) +\|/gm)].flatMap(([, cell = '']) => cell.split(', '))
    expect(codes).toEqual(['0', '100', '101', '75', '10', '2', '3', '4'])
    for (const code of codes) expect((await svc(['explain', code])).code).toBe(0)
  })

  it('is offered by svc init where the project has a folder of an agent', async () => {
    const { svc, cwd, server, project } = createShell()
    const argv = ['init', '--base-url', server.baseUrl, '--public-base-url', server.publicBaseUrl, '--project', project]
    const options = { tty: true, env: { SVC_CONFIG: join(cwd, 'config.json') } }
    const without = await svc(argv, { ...options, answers: ['', 'y'] })
    expect(without.asked.map(({ question }) => question).join()).not.toContain('agents')
    mkdirSync(join(cwd, '.claude'))
    const { err } = await svc(argv, { ...options, answers: ['', 'y'] })
    expect(err).toContain('wrote .claude/skills/svc/SKILL.md')
    expect(readFileSync(join(cwd, '.claude/skills/svc/SKILL.md'), 'utf8')).toBe(page)
  })
})
