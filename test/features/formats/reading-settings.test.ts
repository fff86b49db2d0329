import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'

const rows = 'ticket,who,said\n7,Ann,hello?\n7,Robo,hi\n8,Ann,hey?\n8,Robo,yes\n'
const map = { role: 'who', content: 'said', 'role:Ann': 'user', 'role:Robo': 'assistant' }
const known = [
  { role: 'user', content: 'hi' },
  { role: 'assistant', content: 'yo' },
]
const call = {
  kind: 'desk-call',
  lines: [
    { who: 'caller', says: 'hi' },
    { who: 'desk', says: 'yo' },
  ],
}
const format = `export default ${JSON.stringify({
  id: 'desk-call',
  title: 'Call of our desk',
  accepts: '{ "kind": "desk-call", "lines": [{ "who", "says" }] }',
  signature: { 'kind=desk-call lines[]': 1 },
  messages: 'lines',
  role: 'who',
  roles: { user: 'caller', assistant: 'desk' },
  text: 'says',
})}`
const asked = ['--annotator', 'structural', '--no-policy']
const trusted = { SVC_CONFIG: 'own/config.json' }

async function shellWith(settings: object, files: Record<string, unknown> = {}) {
  const shell = createShell()
  const svc = (argv: string[]) => shell.svc(argv, { env: trusted })
  await shell.svc(['convert', '--help'], { files: { 'svc.config.json': settings, ...files } })
  const trust = await svc(['config', 'trust', '--yes'])
  expect(trust.code, trust.err).toBe(0)
  return { ...shell, svc, trust }
}

describe('a file of unknown format in a folder with transcripts', () => {
  const files = { 'data/known.json': known, 'data/package.json': { name: 'x', version: '1.0.0', license: 'MIT' } }

  it('is skipped with a note if nothing shows that it holds conversations', async () => {
    const { code, err } = await createShell().svc(['upload', 'data'], { files })
    expect([code, err]).toEqual([0, expect.stringContaining('1 file of unknown format skipped: data/package.json')])
  })

  it('is refused if a map reads it, with the map, before anything is sent', async () => {
    const { svc, server } = createShell()
    const refused = await svc(['upload', 'data'], { files: { ...files, 'data/rows.csv': rows } })
    expect([refused.code, refused.err]).toEqual([3, expect.stringContaining('--map role=who --map content=said')])
    expect(refused.err).not.toContain('package.json:')
    expect(server.requests).toEqual([])
    expect((await svc(['upload', 'data', '--continue-on-invalid'])).code).toBe(8)
  })

  it('is refused if a map reads it but for a speaker whose role nothing shows, with that role left open', async () => {
    const { svc } = createShell()
    const desk = `${rows}9,Ann,so?\n9,Robo,hm\n9,Ada,I have it here.\n`
    const refused = await svc(['upload', 'data', '--json'], { files: { ...files, 'data/rows.csv': desk } })
    expect(refused.code).toBe(3)
    const { hint, next } = refused.json().error as { hint: string; next?: string[] }
    expect([hint, next]).toEqual([
      expect.stringMatching(/check, write user, assistant or human_agent for ROLE, and add .* --map role:Ada=ROLE/),
      undefined,
    ])
    const [, add = ''] = /and add (.*); or,/.exec(hint) ?? []
    expect((await svc(['upload', 'data/rows.csv', ...add.replace('=ROLE', '=human_agent').split(' ')])).code).toBe(0)
  })

  it('is read by a map that names speakers of other files, unless a speaker has a similar name', async () => {
    const { svc } = createShell()
    const desk = rows.replaceAll('Robo', 'Ada')
    const argv = ['convert', 'data', '--map', 'role=who', '--map', 'content=said', '--map', 'role:Ann=user']
    const both = [...argv, '--map', 'role:Robo=assistant', '--map', 'role:Ada=human_agent']
    const two = { 'data/one.csv': rows, 'data/two.csv': desk }
    expect((await svc(both, { files: two })).code).toBe(0)
    expect((await svc(['convert', 'data/one.csv', ...both.slice(2)])).err).toContain('expected a speaker "Ada"')
    const near = desk.replaceAll('Ada', 'agent')
    const wrong = await svc([...both, '--map', 'role:agnt=assistant'], { files: { 'data/two.csv': near } })
    expect([wrong.code, wrong.err]).toEqual([3, expect.stringContaining('did you mean --map "role:agent=assistant"')])
  })

  it('is refused with --strict, and if settings that are not trusted say how it is read', async () => {
    const { svc } = createShell()
    const strict = await svc(['upload', 'data', '--strict'], { files })
    expect([strict.code, strict.err]).toEqual([
      3,
      expect.stringMatching(/data\/package\.json.*--exclude skips a file/s),
    ])
    const reading = (pattern: string) => ({ 'svc.config.json': { reading: [{ files: [pattern], map }] } })
    expect((await svc(['upload', 'data', '--dry-run'], { files: reading('data/*.csv') })).code).toBe(0)
    const refused = await svc(['upload', 'data'], { files: reading('data/*.json') })
    expect([refused.code, refused.err]).toEqual([
      3,
      expect.stringContaining('run `svc config trust`: its reading is not used'),
    ])
  })
})

describe('settings that are not trusted', () => {
  const settings = {
    reading: [{ files: ['calls/*.json'], map: { 'role:assistant': 'human_agent' } }],
    exclude: ['drafts/**'],
  }
  const files = { 'svc.config.json': settings, 'calls/a.json': known, 'drafts/b.json': known, 'c.json': known }

  it.each([['calls'], ['drafts']])(
    'refuse an upload of %s, which they concern, before anything is sent',
    async (folder) => {
      const { svc, server } = createShell()
      const { code, err } = await svc(['upload', folder], { files })
      expect([code, err]).toEqual([
        3,
        expect.stringMatching(/Settings that are not trusted say how .*svc config trust/s),
      ])
      expect(server.requests).toEqual([])
      const some = await svc(['upload', folder, 'c.json', '--continue-on-invalid', '--json'])
      expect([some.code, server.requests]).toEqual([3, []])
    },
  )

  it('refuse no file that they do not concern, no file whose reading a flag gives, and no other command', async () => {
    const { svc } = createShell()
    const argv = [
      ['upload', 'c.json'],
      ['upload', 'calls', '--format', 'openai-chat'],
      ['convert', 'calls'],
    ]
    for (const each of argv) expect((await svc(each, { files })).code, each.join(' ')).toBe(0)
  })
})

describe('with --strict', () => {
  it.each([
    ['a file of a product that is not read', '{"question_id":1,"turns":["Why?"]}'],
    ['an empty file', ''],
    ['a file of blank lines', '\n \n'],
  ])('%s beside transcripts is refused, before anything is sent', async (_, text) => {
    const { svc, server } = createShell()
    const files = { 'data/known.json': known, 'data/other.jsonl': text }
    expect((await svc(['upload', 'data', '--dry-run'], { files })).code).toBe(0)
    const { code, err } = await svc(['upload', 'data', '--strict'])
    expect([code, err]).toEqual([3, expect.stringContaining('data/other.jsonl')])
    expect(server.requests).toEqual([])
  })
})

describe('a file in a folder that looks like transcripts, and whose name does not', () => {
  const backup = {
    'data/known.json': known,
    'data/export.jsonl.1': known,
    'data/export.bak': known,
    'data/run.log': 'x',
  }

  it('is named in a note and counted as skipped, and read if it is named', async () => {
    const { svc } = createShell()
    const { code, err, lines } = await svc(['upload', 'data', '--dry-run', '--json'], { files: backup })
    expect([code, lines().at(-1)]).toMatchObject([0, { planned: 1, skipped_files: 3 }])
    expect(err).toContain(
      'note: 2 files that look like transcripts skipped because of their names: data/export.bak, data/export.jsonl.1\n',
    )
    expect(err).toContain('note: 1 other file skipped: data/run.log\n')
    const named = await svc(['upload', 'data/export.bak', '--dry-run', '--json'])
    expect(named.lines()[0]).toMatchObject({ result: 'planned', path: 'data/export.bak' })
  })

  it('is refused with --strict, unless it is excluded', async () => {
    const { svc, server } = createShell()
    const { code, err } = await svc(['upload', 'data', '--strict'], { files: backup })
    expect([code, err]).toEqual([3, expect.stringContaining('data/export.bak: it looks like transcripts')])
    expect(server.requests).toEqual([])
    const excluding = ['upload', 'data', '--strict', '--exclude', '*.bak', '--exclude', '*.1', '--dry-run']
    expect((await svc(excluding)).code).toBe(0)
  })

  it('is named where a folder holds nothing else', async () => {
    const { svc } = createShell()
    const { code, err } = await svc(['upload', 'old', '--dry-run'], { files: { 'old/export.bak': known } })
    expect(code).not.toBe(0)
    expect(err).toContain('1 file that looks like transcripts skipped because of its name: old/export.bak')
  })
})

describe('the refusal of rows', () => {
  it.each([['convert'], ['upload'], ['convert --detect'], ['annotate --annotator structural']])(
    'svc %s gives the flags that read them, and next runs',
    async (line) => {
      const { svc } = createShell()
      const [command = '', ...flags] = line.split(' ')
      const refused = await svc([command, 'rows.csv', ...flags, '--json'], { files: { 'rows.csv': rows } })
      expect(refused.code).toBe(3)
      const { next, hint } = refused.json().error as { next: string[]; hint: string }
      expect(hint).toContain(
        'add --map id=ticket --map role=who --map content=said --map role:Ann=user --map role:Robo=assistant',
      )
      expect((await svc(next.slice(1))).code).toBe(0)
    },
  )

  it('the block for the settings works as it is printed, for every command', async () => {
    const { svc } = createShell()
    const files = { 'data/rows.csv': rows, 'data/known.json': known }
    const { err } = await svc(['annotate', 'data', '--annotator', 'structural'], { files })
    const block = /in svc\.config\.json: (.*)$/m.exec(err)?.[1] ?? ''
    const settings = JSON.parse(`{${block}}`)
    expect(settings).toEqual({ reading: [{ files: ['data/*.csv'], map: { id: 'ticket', ...map } }] })
    const shell = await shellWith(settings, files)
    for (const argv of [
      ['convert', 'data'],
      ['upload', 'data'],
      ['check', 'data', ...asked, '--fail-on', 'none'],
    ]) {
      const { code, err } = await shell.svc(argv)
      expect([argv[0], code, err]).toEqual([argv[0], 0, expect.not.stringContaining('note: losses')])
    }
    expect(shell.server.world.transcripts(shell.project)).toHaveLength(3)
  })

  it.each([
    ['svc.checks.json', [], 'data/*.csv'],
    ['data/rules.json', ['--policy', 'data/rules.json'], '*.csv'],
    ['ci/rules.json', ['--policy', 'ci/rules.json'], '*.csv'],
  ])('svc check gives the block for %s, which works without trust', async (path, flags, pattern) => {
    const { svc } = createShell()
    const argv = ['check', 'data', '--annotator', 'structural', '--fail-on', 'none', ...flags]
    const { err } = await svc(argv, { files: { 'data/rows.csv': rows, ...(flags.length > 0 && { [path]: {} }) } })
    const block = err.split(`in ${path}: `)[1]?.split('\n')[0]
    const policy = JSON.parse(`{${block}}`)
    expect(policy).toEqual({ reading: [{ files: [pattern], map: { id: 'ticket', ...map } }] })
    expect(await svc(argv, { files: { [path]: policy } })).toMatchObject({ code: 0 })
  })

  it.each(['convert', 'upload'])(
    'svc %s gives the flags for standard input, without a block for a file',
    async (command) => {
      const { svc } = createShell()
      const { code, err } = await svc([command, '-'], { stdin: rows })
      expect(code).toBe(3)
      expect(err).toMatch(/hint: to read it, check and add --map id=ticket --map role=who .*=assistant\n$/)
    },
  )

  it('rows that do not show who speaks get a map with open roles, also in a folder with transcripts', async () => {
    const unclear = rows.replaceAll('Ann', 'Kim').replaceAll('Robo', 'Desk').replaceAll('?', '')
    const { svc } = createShell()
    const flags = '--map id=ticket --map role=who --map content=said --map role:Kim=ROLE --map role:Desk=ROLE'
    const named = await svc(['convert', 'rows.csv'], { files: { 'rows.csv': unclear } })
    expect([named.code, named.err]).toEqual([3, expect.stringContaining(`for ROLE, and add ${flags}`)])
    const files = { 'data/rows.csv': unclear, 'data/known.json': known }
    expect(await svc(['upload', 'data'], { files })).toMatchObject({ code: 3, err: expect.stringContaining(flags) })
  })

  it('keeps the name of a speaker whose role it maps', async () => {
    const { svc } = createShell()
    const argv = [
      'convert',
      'rows.csv',
      ...Object.entries(map).flatMap(([field, name]) => ['--map', `${field}=${name}`]),
    ]
    const { out } = await svc([...argv, '--strict'], { files: { 'rows.csv': rows } })
    expect(out).toContain('"speaker":"Ann"')
  })
})

describe('reading in svc.config.json', () => {
  const settings = { reading: [{ files: ['*.csv'], map }], exclude: ['drafts/**'] }

  it('is ignored, with a note, until the file is trusted', async () => {
    const { svc } = createShell()
    const files = { 'svc.config.json': settings, 'rows.csv': rows }
    const { code, err } = await svc(['convert', 'rows.csv'], { files })
    expect(code).toBe(3)
    expect(err).toMatch(
      /^note: .*svc\.config\.json is not trusted: its reading and exclude are ignored; check it, then/,
    )
  })

  it('applies from a folder below, and a flag overrides it', async () => {
    const { svc } = await shellWith(settings, { 'rows.csv': rows })
    const { lines } = await svc(['convert', 'rows.csv', '--map', 'role:Robo=human_agent'])
    expect(lines().map(({ turns }) => (turns as { role: string }[]).map(({ role }) => role))).toEqual([
      ['user', 'human_agent'],
      ['user', 'human_agent'],
    ])
  })

  it('neither notes nor refuses a file of a known format that needs no map', async () => {
    const { svc } = await shellWith(
      { reading: [{ files: ['*'], map: { id: 'ticket', ...map } }] },
      { 'known.json': known },
    )
    expect(await svc(['convert', 'known.json'])).toMatchObject({
      code: 0,
      err: '1 transcript with 2 turns converted to upload bodies\n',
    })
  })

  it('excludes files, and does not note a pattern without a match', async () => {
    const { svc } = await shellWith(settings, { 'drafts/a.json': known, 'b.json': known })
    expect((await svc(['convert', 'drafts', 'b.json', '-q', '--json'])).lines()).toHaveLength(2)
    expect((await svc(['convert', 'b.json'])).err).not.toContain('without a match')
  })

  it('runs an importer for its files, and the question of trust names it', async () => {
    const files = { 'own.mjs': format, 'calls/a.json': call, 'other.json': call }
    const rule = { files: ['calls/**'], importer: ['./own.mjs'] }
    const { svc, trust, cwd } = await shellWith({ reading: [rule] }, files)
    expect(trust.out + trust.err).toContain('own.mjs')
    expect((await svc(['convert', 'calls/a.json', '--detect'])).out).toContain('desk-call')
    expect((await svc(['convert', 'other.json', '--detect'])).out).not.toContain('desk-call')
    writeFileSync(join(cwd, 'own.mjs'), `${format}\n`)
    expect((await svc(['convert', 'calls/a.json', '--detect'])).err).toContain('has changed since it was trusted')
  })

  it.each([
    [{ reading: [{ files: [] }] }, '/reading/0/files expected at least one text'],
    [{ reading: [{ file: ['*.csv'] }] }, 'did you mean files?'],
    [{ reading: [{ files: ['*.csv'], map: { rolle: 'who' } }] }, '"reading": unknown field "rolle"'],
    [{ reading: [{ files: ['*.csv'], map: { 'role:Ann': 'boss' } }] }, '"reading": "boss" (role:Ann) is no role'],
    [{ reading: {} }, '/reading expected a list of objects'],
  ])('%j is refused', async (settings, problem) => {
    const shell = createShell()
    const files = { 'svc.config.json': settings, 'rows.csv': rows }
    await shell.svc(['config', 'trust', '--yes'], { files, env: trusted })
    const { code, err } = await shell.svc(['convert', 'rows.csv'], { env: trusted })
    expect(code).toBeGreaterThan(1)
    expect(err).toContain(problem)
  })
})

describe('reading in a policy', () => {
  const policy = { annotator: 'structural', failOn: 'none', paths: ['data'], reading: [{ files: ['*.csv'], map }] }

  it('reads the files of the check', async () => {
    const files = { 'svc.checks.json': policy, 'data/rows.csv': rows }
    const { code, err } = await createShell().svc(['check'], { files })
    expect([code, err]).toEqual([0, expect.stringContaining('using the policy')])
  })

  it('runs an importer only if the policy is trusted, or named', async () => {
    const rule = { files: ['*.json'], importer: ['./own.mjs'] }
    const files = {
      'svc.checks.json': { ...policy, reading: [rule] },
      'own.mjs': format,
      'data/a.json': call,
    }
    const { svc, cwd } = createShell()
    const refused = await svc(['check'], { files, env: trusted })
    expect([refused.code, refused.err]).toEqual([
      3,
      expect.stringContaining('names programs to run, but is not trusted'),
    ])
    expect(refused.err).toContain('own.mjs')
    expect((await svc(['check', '--policy', 'svc.checks.json'], { env: trusted })).code).toBe(0)
    await svc(['config', 'trust', 'svc.checks.json', '--yes'], { env: trusted })
    expect((await svc(['check'], { env: trusted })).code).toBe(0)
    writeFileSync(join(cwd, 'own.mjs'), `${format}\n`)
    expect((await svc(['check'], { env: trusted })).err).toContain('has changed since it was trusted')
  })
})
