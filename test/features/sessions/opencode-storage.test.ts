import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { opencodeSession } from '../../helpers/opencode-files.js'
import { createShell } from '../../helpers/run-cli.js'

const storage = 'opencode/storage'
const session = `${storage}/session/p1/ses_1.json`
const answer = `${storage}/part/msg_ses_1_2/prt_3.json`
const others = {
  'opencode/auth.json': { anthropic: { type: 'api', key: 'x' } },
  [`${storage}/project/p1.json`]: { id: 'p1', worktree: '/home/me/app' },
  [`${storage}/session_diff/ses_1.json`]: [],
  [`${storage}/todo/ses_1.json`]: [{ content: 'Fix it' }],
  [`${storage}/migration`]: '2',
}
const all = { ...opencodeSession(storage), ...others }
const turns = [
  { role: 'user', content: 'Fix it' },
  { role: 'assistant', toolCalls: [{ name: 'bash', args: { command: 'ls' } }] },
  { role: 'tool', content: 'a.ts' },
]

describe('the storage of opencode', () => {
  it.each(['opencode', storage, `${storage}/session`, session])(
    'is read as its sessions by the path %s',
    async (path) => {
      const { svc } = createShell()
      const { code, lines, err } = await svc(['convert', path], { files: all })
      expect([code, lines().length, err]).toEqual([
        0,
        1,
        expect.stringContaining('1 transcript with 3 turns converted'),
      ])
      expect(lines()[0]).toMatchObject({ name: 'Fix it', externalId: 'ses_1', sourceSystem: 'opencode', turns })
      expect(err).not.toMatch(/unknown|other file|not supported/)
    },
  )

  it('is read with the turns and losses of its export', async () => {
    const { svc } = createShell()
    const file = (path: string) => all[path as keyof typeof all] as object
    const parts = (id: string, names: string[]) => names.map((name) => file(`${storage}/part/${id}/${name}.json`))
    const message = (id: string, names: string[]) => ({
      info: file(`${storage}/message/ses_1/${id}.json`),
      parts: parts(id, names),
    })
    const messages = [message('msg_ses_1_1', ['prt_1']), message('msg_ses_1_2', ['prt_2', 'prt_3'])]
    const files = { ...all, 'export.json': { info: file(session), messages } }
    const [stored, exported] = (await svc(['convert', '--json', session, 'export.json'], { files })).lines()
    expect(stored).toMatchObject({ format: 'opencode', body: exported?.body, losses: exported?.losses })
  })

  it('follows the times of messages, and the names of the files of parts', async () => {
    const { svc } = createShell()
    const earlier = opencodeSession(storage, { at: '2025-12-31T19:00:00.000Z' })
    const first = `${storage}/message/ses_1/msg_zzz.json`
    const files = {
      ...opencodeSession(storage),
      [first]: { ...(earlier[`${storage}/message/ses_1/msg_ses_1_1.json`] as object), id: 'msg_zzz' },
      [`${storage}/part/msg_zzz/prt_b.json`]: {
        id: 'a',
        sessionID: 'ses_1',
        messageID: 'msg_zzz',
        type: 'text',
        text: 'two',
      },
      [`${storage}/part/msg_zzz/prt_a.json`]: {
        id: 'b',
        sessionID: 'ses_1',
        messageID: 'msg_zzz',
        type: 'text',
        text: 'one',
      },
    }
    const { turns } = (await svc(['convert', storage], { files })).json() as { turns: { content: string }[] }
    expect(turns.map(({ content }) => content).slice(0, 2)).toEqual(['one\ntwo', 'Fix it'])
  })

  it.each([
    ['is cut off', '{"id":"prt_3","sess', /file part\/msg_ses_1_2\/prt_3\.json: it cannot be read: /],
    ['is empty', '', /file part\/msg_ses_1_2\/prt_3\.json: it cannot be read: it is empty or cannot be opened/],
  ])('names a file of a part that %s, and reads the others', async (_, text, loss) => {
    const { svc } = createShell()
    const { code, json, err } = await svc(['convert', storage, '--verbose'], { files: { ...all, [answer]: text } })
    expect([code, json()]).toEqual([0, expect.objectContaining({ turns: expect.arrayContaining([]) })])
    expect(err).toMatch(loss)
    const strict = await svc(['convert', storage, '--strict'])
    expect([strict.code, strict.err]).toEqual([3, expect.stringMatching(loss)])
  })

  it('finds the message of a part that names none by its folder', async () => {
    const { svc } = createShell()
    const files = { ...all, [`${storage}/part/msg_ses_1_1/prt_1.json`]: { id: 'prt_1', type: 'text', text: 'Fix it' } }
    expect((await svc(['convert', session], { files })).json()).toMatchObject({ turns })
  })

  it('names messages without a part', async () => {
    const { svc, cwd } = createShell()
    await svc(['health'], { files: all })
    rmSync(join(cwd, `${storage}/part/msg_ses_1_1`), { recursive: true })
    const { code, err } = await svc(['convert', session, '--verbose'])
    expect([code, err]).toEqual([0, expect.stringContaining('parts of message msg_ses_1_1: no file holds one')])
  })

  it('names the parts of a message whose file is damaged', async () => {
    const { svc } = createShell()
    const files = { ...all, [`${storage}/message/ses_1/msg_ses_1_2.json`]: 'oops' }
    const { code, err } = await svc(['convert', session, '--verbose'], { files })
    expect([code, err]).toEqual([
      0,
      expect.stringContaining('part of type "tool": the file of its message is missing or damaged'),
    ])
    expect(err).toContain('file message/ses_1/msg_ses_1_2.json: it cannot be read')
  })

  it('names messages whose session is gone', async () => {
    const { svc } = createShell()
    const gone = opencodeSession(storage, { id: 'ses_2' })
    delete gone[`${storage}/session/p1/ses_2.json`]
    const { code, lines, err } = await svc(['convert', 'opencode'], { files: { ...all, ...gone } })
    expect([code, lines().length]).toEqual([0, 1])
    expect(err).toContain(`1 folder of messages without the file of their session skipped: ${storage}/message/ses_2`)
  })

  it('has no session file that is damaged and no part alone', async () => {
    const { svc } = createShell()
    const { code, err } = await svc(['convert', storage], { files: { ...all, [session]: '{"id":' } })
    expect([code, err]).toEqual([3, expect.stringContaining(`${session}:1:`)])
    const part = await svc(['convert', answer], { files: all })
    expect([part.code, part.err]).toEqual([3, expect.stringContaining('This is a part of an opencode session; ')])
  })

  it('skips a session without messages', async () => {
    const { svc } = createShell()
    const empty = {
      [`${storage}/session/p1/ses_0.json`]: { ...(all[session as keyof typeof all] as object), id: 'ses_0' },
    }
    const { code, err } = await svc(['convert', storage], { files: { ...all, ...empty } })
    expect([code, err]).toEqual([0, expect.stringContaining('note: 1 file without messages skipped: ')])
  })

  it('counts as its sessions in a check, with nothing that is not judged', async () => {
    const { svc } = createShell()
    const { err, code } = await svc(['check', 'opencode', '--annotator', 'echo', '--dry-run'], { files: all })
    expect([code, err]).toEqual([0, expect.stringMatching(/1 transcript/)])
    expect(err).not.toContain('not judged')
  })

  it('is uploaded once, as a session that changes with any of its files', async () => {
    const { svc, server } = createShell()
    expect((await svc(['upload', 'opencode'], { files: all })).err).toContain('1 transcript uploaded')
    expect((await svc(['upload', 'opencode'])).err).toContain('1 already stored')
    const files = { [answer]: { ...(all[answer as keyof typeof all] as object), text: 'Not yet.' } }
    expect((await svc(['upload', 'opencode'], { files })).err).toContain('same external id as')
    expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(2)
  })
})

describe('the older storage of opencode', () => {
  const project = 'opencode/project/app/storage/session'
  const session = `${project}/info/ses_1.json`
  /** The files of a session, with those of its parts in a folder of the session. */
  const older = Object.fromEntries(
    Object.entries(opencodeSession('s')).map(([path, value]) => {
      const [, kind, folder = '', ...names] = path.split('/')
      const { projectID: _, directory: __, ...fields } = value as Record<string, unknown>
      if (kind === 'session') return [session, fields]
      const more = fields.role === 'assistant' ? { path: { cwd: '/home/me/app', root: '/home/me' } } : {}
      const place = kind === 'part' ? `part/ses_1/${folder}` : `message/${folder}`
      return [`${project}/${place}/${names.join('/')}`, { ...fields, ...more }]
    }),
  )

  it.each(['opencode', project, `${project}/info`, session])('is read as its sessions by the path %s', async (path) => {
    const { svc } = createShell()
    const { code, lines, err } = await svc(['convert', path], { files: older })
    expect([code, lines().length]).toEqual([0, 1])
    expect(lines()[0]).toMatchObject({ name: 'Fix it', externalId: 'ses_1', metadata: { cwd: '/home/me/app' }, turns })
    expect(err).not.toMatch(/unknown|other file|not supported/)
  })

  it('finds the message of a part that names none by its folder', async () => {
    const { svc } = createShell()
    const part = `${project}/part/ses_1/msg_ses_1_1/prt_1.json`
    const files = { ...older, [part]: { id: 'prt_1', type: 'text', text: 'Fix it' } }
    expect((await svc(['convert', session], { files })).json()).toMatchObject({ turns })
  })

  it('names messages whose session is gone, and a file of a part that is damaged', async () => {
    const { svc } = createShell()
    const files: Record<string, unknown> = {
      ...older,
      [`${project}/message/ses_2/msg_1.json`]: { id: 'msg_1', sessionID: 'ses_2', role: 'user', time: { created: 1 } },
      [`${project}/part/ses_1/msg_ses_1_2/prt_3.json`]: 'oops',
    }
    const { code, err } = await svc(['convert', 'opencode', '--verbose'], { files })
    expect(code).toBe(0)
    expect(err).toContain(`1 folder of messages without the file of their session skipped: ${project}/message/ses_2`)
    expect(err).toContain('file part/ses_1/msg_ses_1_2/prt_3.json: it cannot be read')
  })

  it('is uploaded again when a part of its last message changes', async () => {
    const { svc } = createShell()
    expect((await svc(['upload', 'opencode'], { files: older })).err).toContain('1 transcript uploaded')
    const part = `${project}/part/ses_1/msg_ses_1_2/prt_3.json`
    const files = { [part]: { ...(older[part] as object), text: 'Not yet.' } }
    expect((await svc(['upload', 'opencode'], { files })).err).toContain('same external id as')
  })
})
