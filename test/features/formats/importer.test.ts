import { describe, expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'

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
const textImporter = `import { defineTextFormat, speakerLine } from '@svc/transcripts'
const begins = (line) => (/^Chat /.test(line) ? { conversation: { id: line.slice(5) } } : undefined)
export default defineTextFormat({
  id: 'desk-chat',
  title: 'Chat of our desk',
  accepts: 'a line "Chat c-7", then lines such as "Ann: Hello"',
  detect: ([first = '']) => (begins(first) ? 1 : 0),
  lineMeaning: (line) => begins(line) ?? speakerLine(line),
})
`
const failing = (name: string) =>
  `export default { id: 'x', title: 'X', accepts: 'x', fields: [], detect: () => 1, ${name}() { throw new Error('no luck') } }`
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
    ['exports a number', 'export default [7]', 'its default export is not a format'],
    [
      'lacks an option of a text format',
      textImporter.replace('detect:', 'detects:'),
      'defineTextFormat: missing option "detect"',
    ],
    ['fails to detect', failing('detect'), './my-format.mjs: the importer failed: no luck.'],
    ['fails before it reads', failing('reader'), './my-format.mjs: the importer failed: no luck.'],
  ])('an importer that %s ends the command with 3', async (_, program, message) => {
    const { svc } = createShell()
    const files = { 'calls.json': call, ...(program && { 'my-format.mjs': program }) }
    const { code, err } = await svc(['convert', 'calls.json', '--importer', './my-format.mjs'], { files })
    expect(err).toContain(message)
    expect(err).toContain('./my-format.mjs')
    expect(code).toBe(3)
  })

  it('a text is read with an importer, whose speakers --map names', async () => {
    const { svc } = createShell()
    const files = { 'chat.txt': 'Chat c-7\nAnn: Where is it?\nBot: On its way.\n', 'my-format.mjs': textImporter }
    const flags = ['chat.txt', '--importer', './my-format.mjs']
    const { code, lines, err } = await svc(['convert', ...flags, '--map', 'role:Ann=user', '--strict', '--json'], {
      files,
    })
    expect([code, err]).toEqual([0, expect.stringContaining('1 transcript with 2 turns')])
    expect(lines()[0]).toMatchObject({
      format: 'desk-chat',
      body: { externalId: 'c-7', turns: [{ content: 'Where is it?' }, { role: 'assistant', content: 'On its way.' }] },
    })
    expect((await svc(['check', ...flags, '--annotator', 'structural'])).err).not.toContain('not judged')
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

  it('an error of an importer at the end of a file is a problem of the last line', async () => {
    const ends = `({ read: () => [], end() { throw new Error('no end') } })`
    const program = textImporter.replace(/lineMeaning.*/, `reader: () => ${ends},`)
    const { svc } = createShell()
    const files = { 'chat.txt': 'Chat c-7\nAnn: Hi\n', 'my-format.mjs': program }
    const { code, err } = await svc(['convert', 'chat.txt', '--importer', './my-format.mjs'], { files })
    expect([code, err]).toEqual([3, expect.stringContaining('chat.txt:2:1 the importer desk-chat failed: no end')])
  })
})
