import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { nodeDisk, nodeHost } from '@svc/bulk/node'
import { describe, expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'

const line = (content: string, more = {}) =>
  `${JSON.stringify({ name: content, turns: [{ role: 'user', content }], ...more })}\n`
const broken = '{"name": "x", "turns": oops}\n'
const tooLong = line('long', { language: 'much too long' })

async function* parts(...lines: string[]) {
  for (const each of lines) {
    yield each
    await new Promise((resolve) => setImmediate(resolve))
  }
}

describe('standard input that is uploaded', () => {
  it('standard input that is uploaded is sent as it comes', async () => {
    const { svc, server } = createShell()
    const seen: number[] = []
    async function* slowly() {
      for (let n = 1; n <= 200; n++) {
        yield line(`conversation ${n}`)
        if (n === 100) {
          // The disk and the server are given as long as they want.
          while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve))
          seen.push(server.requests.length)
        }
      }
    }
    const { code, lines } = await svc(['upload', '-', '--json'], { stdin: slowly() })
    expect([code, lines().at(-1)]).toMatchObject([0, { uploaded: 200, not_sent: 0 }])
    expect(seen[0]).toBeGreaterThan(0)
  })

  it('standard input that is uploaded is one document where it is one transcript, and many lines where it is more', async () => {
    const { svc } = createShell()
    expect((await svc(['upload', '-', '--json'], { stdin: line('a') })).json()).toMatchObject({ result: 'uploaded' })
    const two = await svc(['upload', '-', '--json'], { stdin: line('b') + line('c') })
    expect(two.lines().map(({ schema }) => schema)).toEqual(['svc/upload@1', 'svc/upload@1', 'svc/upload-summary@1'])
  })

  it('counts what follows a signal as not sent, at whichever moment it arrives', async () => {
    const { svc } = createShell()
    const stdin = line('a') + line('b') + line('c')
    await svc(['upload', '-'], { stdin })
    for (let turns = 1, isStopped = true; isStopped; turns++) {
      const stop = new AbortController()
      let left = turns
      const turn = async () => {
        await new Promise((resolve) => setImmediate(resolve))
        if (--left === 0) stop.abort('SIGTERM')
      }
      const environment = { disk: nodeDisk, host: nodeHost, randomId: () => crypto.randomUUID(), turn }
      const { code, lines } = await svc(['upload', '-', '--json'], { stdin, signal: stop.signal, io: { environment } })
      isStopped = left <= 0
      const { already_uploaded, not_sent } = lines().at(-1) ?? {}
      if (already_uploaded === undefined) expect(code).toBe(143)
      else expect({ turns, all: Number(not_sent === null ? 3 : already_uploaded) }).toEqual({ turns, all: 3 })
    }
  })

  it('ends at an unreadable line: earlier lines are stored, later ones are not sent', async () => {
    const { svc, server, project } = createShell()
    const stdin = parts(line('a'), line('b'), line('c'), broken, line('d'), line('e'))
    const { code, err, lines } = await svc(['upload', '-', '--json'], { stdin })
    expect(code).toBe(8)
    expect(err).toMatch(/svc: Nothing was sent after the first problem\.\n {2}-:4:24 expected /)
    expect(
      server.world
        .transcripts(project)
        .map(({ record }) => record.name)
        .sort(),
    ).toEqual(['a', 'b', 'c'])
    expect(lines().at(-1)).toMatchObject({ uploaded: 3, invalid: 1, not_sent: null })
  })

  it('ends where a transcript would be refused, and names the line', async () => {
    const { svc, server, project } = createShell()
    const { code, err } = await svc(['upload', '-'], { stdin: parts(line('a'), line('b'), tooLong, line('d')) })
    expect([code, server.world.transcripts(project).length]).toEqual([8, 2])
    expect(err).toContain('-:3:70 /language expected at most 10 characters, got 13')
  })

  it('standard input that is uploaded is refused whole where nothing comes before the problem', async () => {
    const { svc, server } = createShell()
    for (const stdin of [broken + line('a'), tooLong + line('a'), '']) {
      expect(await svc(['upload', '-'], { stdin })).toMatchObject({
        code: 3,
        err: expect.stringContaining('The input has 1 problem; nothing was sent.'),
      })
    }
    expect(server.requests).toHaveLength(0)
  })

  it('continues past invalid lines with --continue-on-invalid, and writes them to --rejects', async () => {
    const { svc, server, project, cwd } = createShell()
    const stdin = parts(line('a'), broken, line('b'), tooLong, line('c'))
    const { code, err, lines } = await svc(
      ['upload', '-', '--json', '--continue-on-invalid', '--rejects', 'rejects.jsonl'],
      { stdin },
    )
    expect([code, server.world.transcripts(project).length]).toEqual([8, 3])
    expect(lines().at(-1)).toMatchObject({ uploaded: 3, invalid: 2 })
    expect(err).toContain('2 transcripts left out.')
    const rejects = readFileSync(join(cwd, 'rejects.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((each) => JSON.parse(each))
    expect(rejects).toMatchObject([
      { schema: 'svc/reject@1', path: '-', problems: [{ line: 2, column: 24 }] },
      {
        path: '-',
        record: 4,
        problems: [{ line: 4, column: 70, pointer: '/language' }],
        upload: { name: 'long', language: 'much too long' },
      },
    ])
  })

  it('standard input that is uploaded is not begun where the rejects cannot be written', async () => {
    const { svc, server } = createShell()
    const argv = ['upload', '-', '--continue-on-invalid', '--rejects', 'no/such/folder']
    expect((await svc(argv, { stdin: line('a') + broken })).code).toBe(3)
    expect(server.requests).toHaveLength(0)
  })

  it('refuses a flag that is for a single transcript', async () => {
    const { svc, server } = createShell()
    const { code } = await svc(['upload', '-', '--name', 'One'], { stdin: line('a') + line('b') })
    expect([code, server.requests.length]).toEqual([2, 0])
  })

  it('standard input that is uploaded can be given again after it was cut off', async () => {
    const { svc } = createShell()
    await svc(['upload', '-'], { stdin: parts(line('a'), line('b'), broken) })
    const { lines } = await svc(['upload', '-', '--json'], { stdin: line('a') + line('b') + line('c') })
    expect(lines().at(-1)).toMatchObject({ uploaded: 1, already_uploaded: 2 })
  })
})
