import { describe, expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'

const turns = (text: string) => [
  { role: 'user', content: text },
  { role: 'assistant', content: 'I cannot help with that.' },
  { role: 'user', content: text },
]
const named = { name: 'The parcel that never came', turns: turns('Where is my parcel?') }
const nameless = { turns: turns('Where is my other parcel?') }
const files = {
  'all.jsonl': [{ turns: turns('One.') }, named, nameless].map((each) => JSON.stringify(each)).join('\n'),
}
const gate = ['--annotator', 'structural', '--no-policy', '--fail-on', 'mixed', '--report']

describe('the title of a transcript', () => {
  it.each([
    ['upload all.jsonl --dry-run', false],
    ['upload all.jsonl --dry-run --json', false],
    ['upload all.jsonl', false],
    ['upload all.jsonl --json', false],
    ['uploads list', false],
    ['uploads list --json', false],
    ['transcripts list', false],
    ['convert all.jsonl --json', false],
    ['annotate all.jsonl --annotator structural', false],
    ['annotate all.jsonl --annotator structural', true],
    ['annotate all.jsonl --annotator structural --json', false],
    ['check', true],
    ...['md', 'junit', 'html', 'sarif', 'gitlab', 'json'].map((form) => [`check ${form}=-`, false] as const),
  ] as const)('svc %s shows the name of a transcript, or of its file (terminal: %s)', async (line, tty) => {
    const { svc } = createShell()
    await svc(['upload', 'all.jsonl', '-q'], { files })
    const [command = '', ...words] = line.split(' ')
    const check = words.length > 0 ? [...gate, ...words] : gate.slice(0, -1)
    const again = command === 'upload' ? ['--again'] : []
    const argv = command === 'check' ? ['check', 'all.jsonl', ...check] : [command, ...words, ...again]
    const { out, err } = await svc(argv, { files, tty })
    expect(out, err).toContain('The parcel that never came')
    expect(out).toContain('all (3)')
  })

  it('the place of a transcript is the same in a list of uploads, an annotation, a check and a failed upload', async () => {
    const { svc, server } = createShell()
    await svc(['upload', 'all.jsonl', '-q'], { files })
    expect((await svc(['uploads', 'list'])).out).toContain('\tall.jsonl record 3\t')
    for (const argv of [
      ['annotate', 'all.jsonl', ...gate.slice(0, 2)],
      ['check', 'all.jsonl', ...gate.slice(0, -1)],
    ])
      expect((await svc([...argv, '--color', 'never'], { tty: true })).out).toMatch(/all \(3\) +all\.jsonl record 3\n/)
    server.faults.add({ kind: 'status', code: 413, on: 'transcripts.upload' })
    const { err } = await svc(['upload', 'all.jsonl', '--again'])
    expect(err).toContain('all.jsonl record 3')
  })
})

describe('the own id of a conversation', () => {
  const rows = [
    'ticket_id,role,content',
    'T-7,user,Where is my parcel?',
    'T-8,user,Where is my parcel?',
    'T-8,assistant,I cannot help with that.',
    'T-8,user,Where is my parcel?',
  ].join('\n')

  it.each<[string, boolean]>([
    ['annotate', true],
    ['check', true],
    ...['md=-', 'junit=-', 'html=-', 'sarif=-', 'gitlab=-', 'github'].map((report): [string, boolean] => [
      report,
      false,
    ]),
  ])('stands before the name of a row in the output of %s (terminal: %s)', async (form, tty) => {
    const { svc } = createShell()
    const check = ['check', 'rows.csv', ...(form === 'check' ? gate.slice(0, -1) : [...gate, form])]
    const argv = form === 'annotate' ? ['annotate', 'rows.csv', ...gate.slice(0, 2)] : check
    const { out } = await svc(argv, { files: { 'rows.csv': rows }, tty })
    expect(out).toMatch(form === 'html=-' ? /"name":"rows \(\d\)"[^{]*"external_id":"T-8"/ : /T-8 · rows \(2\)/)
  })
})
