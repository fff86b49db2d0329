import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bin, onTerminal, ownService } from '../../helpers/own-service.js'
import { createShell } from '../../helpers/run-cli.js'
import { createSession } from '../../helpers/session.js'

/** Each name is as long as one can be, and holds what moves a cursor. */
const name = `${'x'.repeat(400)}\u001b[2J\u202e`
const project = { id: 'hp-6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10', name, transcript_count: 3, latest_transcript_at: null }

const answerTo = (url = '') =>
  url.includes('/health')
    ? { status: 'ok', substrate: 'lambda' }
    : { data: [project, project], pagination: { page: 1, limit: 20, total: 2 } }

type Pty = ReturnType<typeof onTerminal>['pty']
let arrived: () => void = () => {}
let service: Awaited<ReturnType<typeof ownService>>
beforeAll(async () => {
  service = await ownService((request, response) => {
    // The conversation to be annotated is never answered.
    if (request.method === 'POST') return void request.resume().on('end', () => arrived())
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answerTo(request.url)))
  })
  writeFileSync(join(service.folder, 'conversation.json'), JSON.stringify([{ role: 'user', content: 'hi' }]))
})
afterAll(() => service.close())

const shown = async (argv: string[], columns = 100) => {
  const { code, sent } = await onTerminal(argv, service.env, columns).ended
  expect(code).toBe(0)
  return sent.replaceAll('\r\n', '\n')
}
/** The output of the command in this process, as on a terminal. */
const printed = async (argv: string[], columns = 100, env: Record<string, string> = {}) => {
  const { svc } = createShell({ ...createSession(), fetch: async ({ url }) => Response.json(answerTo(url)) })
  const { code, out } = await svc(argv, { tty: true, columns, env: { TERM: 'xterm', ...env } })
  expect(code).toBe(0)
  return out
}
const through = (script: string) => onTerminal(['-c', script], service.env, 100, ['sh']).ended

describe('on a terminal, colour', () => {
  it('on a terminal, colour is there, unless NO_COLOR, TERM=dumb or --color never says otherwise', async () => {
    expect(await shown(['health'])).toContain('\u001b[2m')
    expect(await printed(['health'], 100, { NO_COLOR: '' })).toContain('\u001b[2m')
    for (const more of [
      { NO_COLOR: '1' },
      { NO_COLOR: '1', FORCE_COLOR: '1' },
      { TERM: 'dumb' },
      { FORCE_COLOR: '0' },
    ]) {
      expect(await printed(['health'], 100, more)).not.toContain('\u001b')
    }
    expect(await printed(['health', '--color', 'never'])).not.toContain('\u001b')
  })

  it('on a terminal, colour is decided for each stream on its own', async () => {
    const { sent } = await through(
      `"${process.execPath}" "${bin}" health | cat; "${process.execPath}" "${bin}" uplod | cat`,
    )
    expect(sent).toMatch(/^status\tok\r\nsubstrate\tlambda\r\nsvc: unknown command/)
  })
})

// The process asks a real terminal for its columns; the others are those of this process.
describe.each([
  [20, printed],
  [80, shown],
  [200, printed],
])('on a terminal of %i columns', (columns, output) => {
  it('a table fits, or is a block of lines for each record, and nothing in a name has power over it', async () => {
    const text = await output(['projects', 'list', '--color', 'never'], columns)
    for (const power of ['\u001b', '\u202e']) expect(text).not.toContain(power)
    expect(text).toContain('x')
    const lines = text.split('\n')
    if (columns < 80) return expect(lines[0]).toBe(`ID           ${project.id}`)
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns)
    expect(lines[1]).toContain(project.id)
  })

  it('help wraps at the edge, and never past 100 columns', async () => {
    const text = await output(['projects', 'list', '--help'], columns)
    const prose = text.split('\n').filter((line) => !/^ {2}\$/.test(line))
    for (const line of prose) expect(line.length).toBeLessThanOrEqual(columns < 80 ? 80 : Math.min(columns, 100))
    expect(text).toContain('Examples:')
  })
})

describe('on a terminal that reports no columns', () => {
  const script = (line: string) => `stty cols 0; "${process.execPath}" "${bin}" ${line}`

  it('tables and spinners end, too', async () => {
    for (const line of ['projects list', 'check nothing.json --annotator a']) {
      // The shell waits until everything was read: the rest of a closed terminal cannot be.
      const { pty, ended } = onTerminal(['-c', script(`${line}; echo "ended $?"; read _`)], service.env, 100, ['sh'])
      let sent = ''
      pty.onData((data) => {
        sent += data
        if (/ended \d+\r\n$/.test(sent)) pty.write('\r')
      })
      await ended
      expect(sent).toMatch(/ended \d+\r\n/)
      expect(sent.length).toBeLessThan(20_000)
    }
  })
})

it('svc upload - on a terminal prints that it waits for input, and Ctrl-D ends it', async () => {
  const { pty, ended } = onTerminal(['upload', '-', '--dry-run'], { ...service.env, SVC_PROJECT: project.id })
  pty.onData((data) => {
    if (data.includes('Ctrl-D ends it')) pty.write('[{"role":"user","content":"hi"}]\r\u0004')
  })
  const { code, sent } = await ended
  expect([code, sent]).toEqual([0, expect.stringContaining('1 transcript would be uploaded')])
})

it.each([40, 80])('shows a progress bar with the wait on one line of %i columns', async (columns) => {
  const limited = await ownService((request, response) => {
    if (request.method === 'POST') response.setHeader('retry-after', '30').statusCode = 429
    response.setHeader('content-type', 'application/json').end('{"annotators": []}')
  })
  try {
    for (const name of ['a', 'b'])
      writeFileSync(join(limited.folder, `${name}.json`), '[{"role":"user","content":"hi"}]')
    const { pty, ended } = onTerminal(['annotate', limited.folder, '--annotator', 'a'], limited.env, columns)
    let line = 'annotating 0 of 2 transcripts'
    if (columns >= 80) line = 'annotating ──────────────── 0 of 2 transcripts, next request in 30 s'
    let isStopped = false
    pty.onData((data) => {
      if (!isStopped && data.includes(line)) pty.write('\u0003')
      isStopped ||= data.includes(line)
    })
    const { code, sent } = await ended
    expect([code, isStopped]).toEqual([130, true])
    // Each frame is drawn over the one before, so none is longer than the terminal.
    const frames = stripVTControlCharacters(sent.replaceAll('\u001b[1G', '\n')).split(/[\r\n]+/)
    for (const frame of frames.filter((each) => each.includes('annotating'))) expect(frame.length).toBeLessThan(columns)
  } finally {
    await limited.close()
  }
})

describe('while a request is under way on a terminal', () => {
  /** A command that is stopped while it waits for the service. */
  async function waiting(flags: string[], env: Record<string, string>, stop = (pty: Pty) => pty.write('\u0003')) {
    const reached = new Promise<void>((resolve) => {
      arrived = resolve
    })
    const argv = ['annotate', join(service.folder, 'conversation.json'), '--annotator', 'a', ...flags]
    const { pty, ended } = onTerminal(argv, { ...service.env, ...env })
    await reached
    stop(pty)
    return ended
  }

  it('the spinner is coloured, and Ctrl-C ends the command with 130', async () => {
    const { code, sent } = await waiting([], { CI: 'false' })
    expect([code, sent]).toEqual([130, expect.stringContaining('\u001b[36m⠋')])
    // It would stay hidden after Ctrl-Z and SIGKILL.
    expect(sent).not.toContain('\u001b[?25l')
  })

  it.each([
    [[], { NO_COLOR: '1' }],
    [['--color', 'never'], {}],
  ])('the spinner is not coloured with %j and %j', async (flags, env: Record<string, string>) => {
    const { sent } = await waiting(flags, env)
    expect(sent).toContain('⠋')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences of colours begin with the escape character
    expect(sent).not.toMatch(/\u001b\[[\d;]*m/)
  })

  it('SIGTERM ends the command with 143, and the cursor is never hidden', async () => {
    const { code, sent } = await waiting([], {}, (pty) => pty.kill('SIGTERM'))
    expect(code).toBe(143)
    expect(sent).not.toContain('\u001b[?25l')
  })
})
