import { describe, expect, it } from 'vitest'
import { createShell } from '../run-cli.js'

const call = {
  kind: 'desk-call',
  call: 'c-7',
  lines: [
    { who: 'caller', says: 'Where is my order?' },
    { who: 'desk', says: 'On its way.' },
  ],
}
const declaration = {
  id: 'desk-call',
  title: 'Call of our desk',
  accepts: '{ "kind": "desk-call", "lines": [{ "who", "says" }] }',
  signature: { 'kind=desk-call lines[]': 1 },
  conversation: { externalId: 'call' },
  messages: 'lines',
  role: 'who',
  roles: { user: 'caller', assistant: 'desk' },
  text: 'says',
}
const written = JSON.stringify(declaration)
const importer = `import { defineFormat } from '@svc/transcripts'\nexport default defineFormat(${written})\n`
const argv = ['convert', 'calls.json', '--importer', './my-format.mjs', '--json']

describe('--importer', () => {
  it.each([
    ['a format', importer],
    ['a list of formats', importer.replace('defineFormat(', '[defineFormat(').trimEnd().concat(']')],
    ['a declaration, without an import', `export default ${written}`],
  ])('an importer may export %s', async (_, program) => {
    const { svc } = createShell()
    const files = { 'calls.json': call, 'my-format.mjs': program }
    const { code, lines, err } = await svc(argv, { files })
    expect(err).toContain('1 transcript with 2 turns')
    expect(code).toBe(0)
    expect(lines()[0]).toMatchObject({
      format: 'desk-call',
      body: { externalId: 'c-7', turns: [{ role: 'user' }, { role: 'assistant', content: 'On its way.' }] },
    })
  })

  it('a file is read by upload and check with an importer, and named by --format', async () => {
    const { svc, server } = createShell()
    const files = { 'calls.json': call, 'my-format.mjs': importer }
    const flags = ['calls.json', '--importer', 'my-format.mjs', '--format', 'desk-call']
    expect((await svc(['upload', ...flags], { files })).code).toBe(0)
    expect(server.requests.at(-1)?.path).toMatch(/transcripts$/)
    expect((await svc(['check', ...flags, '--annotator', 'structural'])).err).not.toContain('not judged')
    const { code, err } = await svc(['convert', 'calls.json', '--format', 'desk-call'])
    expect([code, err]).toEqual([2, expect.stringContaining('Unknown format "desk-call"')])
  })

  it.each([
    ['is missing', undefined, 'cannot be loaded: '],
    ['exports nothing', 'export const a = 1', 'cannot be loaded: it has no default export'],
    ['throws', 'throw new Error("no luck")', 'cannot be loaded: no luck'],
    [
      'has an unknown option',
      `export default { ...${written}, mesages: 'a' }`,
      'unknown option "mesages"; known are id,',
    ],
    ['lacks an option', `export default { ...${written}, title: undefined }`, 'missing option "title"'],
  ])('an importer that %s ends the command with 3', async (_, program, message) => {
    const { svc } = createShell()
    const files = { 'calls.json': call, ...(program && { 'my-format.mjs': program }) }
    const { code, err } = await svc(['convert', 'calls.json', '--importer', './my-format.mjs'], { files })
    expect(err).toContain(message)
    expect(err).toContain('./my-format.mjs')
    expect(code).toBe(3)
  })

  it('an error of an importer is a problem of the record, with its line', async () => {
    const program = `export default { ...${written}, text: () => { throw new Error('no text') } }`
    const { svc } = createShell()
    const files = {
      'calls.json': `${JSON.stringify({ ...call, lines: [] })}\n${JSON.stringify(call)}`,
      'my-format.mjs': program,
    }
    const { code, err } = await svc(argv, { files })
    expect(err).toContain('calls.json:2:1 the importer desk-call failed: no text')
    expect(code).toBe(3)
    const checked = await svc(['check', 'calls.json', '--importer', 'my-format.mjs', '--annotator', 'structural'])
    expect(checked.code).toBe(101)
  })
})
