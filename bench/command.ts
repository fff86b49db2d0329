import { once } from 'node:events'
import { createWriteStream, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type Annotator, createReferenceServer, defaultAnnotators, referenceKey } from '@svc/reference-server'
import { writeChatGptExport } from './large-files.js'
import { median, ratio, row, sideBySide } from './measure.js'
import { compiled, run, serve, settingsIn, svc, withFolder } from './processes.js'

/** Whole processes of the command beside an empty one. */
export async function benchStart(): Promise<void> {
  const server = await serve('reference-server')
  const env = { SVC_BASE_URL: server.baseUrl, SVC_PUBLIC_BASE_URL: `${server.baseUrl}/public/api/v1` }
  const cpu = (argv: string[]) => async () => (await run(argv, { env })).cpu
  const spent = await sideBySide(
    {
      empty: cpu(['-e', '0']),
      version: cpu([svc, '--version']),
      help: cpu([svc, '--help']),
      health: cpu([svc, 'health']),
    },
    21,
  )
  server.stop()
  for (const [name, promised] of [
    ['version', 1.6],
    ['help', 3],
    ['health', 4.5],
  ] as const) {
    const command = name === 'health' ? 'svc health' : `svc --${name}`
    row(`${command}, CPU`, ratio(spent[name], spent.empty), '≤', promised, '× node -e 0')
  }
}

/** A conversation of about `bytes`, as one line of JSON. */
function conversation(name: string, bytes: number): string {
  const content = 'the order has not arrived yet. '.repeat(Math.ceil(bytes / 4 / 31)).slice(0, bytes / 4 - 30)
  const turns = ['user', 'assistant', 'user', 'assistant'].map((role, at) => ({ role, content: `${at}: ${content}` }))
  return `${JSON.stringify({ name, turns })}\n`
}

/** Bulk upload with its ledger beside a pool that only sends the same lines, as whole processes. */
export const benchBulk = (): Promise<void> =>
  withFolder(async (folder) => {
    const count = 5_000
    const file = join(folder, 'conversations.jsonl')
    writeFileSync(file, Array.from({ length: count }, (_, at) => conversation(`Conversation ${at}`, 5_000)).join(''))
    const server = await serve('bulk-server')
    const pool = await compiled('pool')
    let runs = 0
    const measured = await sideBySide(
      {
        pool: () => run([pool, server.baseUrl, file, '8']),
        // Each run has its own ledger; with an old one it would send nothing.
        upload: () => run([svc, 'upload', file, '-j', '8'], { env: settingsIn(folder, server.baseUrl, `s${runs++}`) }),
      },
      2,
      0,
    )
    const arrived = Number(await (await fetch(`${server.baseUrl}/count`)).text())
    server.stop()
    if (arrived !== 4 * count) throw new Error(`${arrived} uploads arrived`)
    const walls = (runs: { wall: number }[]) => runs.map(({ wall }) => wall)
    const rate = ratio(walls(measured.pool), walls(measured.upload))
    row('bulk upload with ledger, 8 at a time, answered after 20 ms', rate, '≥', 0.85, '× undici Pool')
    row('memory of an upload of 5 000 transcripts', median(measured.upload.map(({ peak }) => peak)), '≤', 300, 'MB')
  })

function* lines(total: number, bytes: number): Generator<string> {
  for (let written = 0, at = 0; written < total; written += bytes, at++) yield conversation(`Conversation ${at}`, bytes)
}

/** The memory of large files and streams. */
export const benchLarge = (): Promise<void> =>
  withFolder(async (folder) => {
    const server = await serve('bulk-server', ['0'])
    const env = settingsIn(folder, server.baseUrl)
    const stdin = Readable.from(lines(1e9, 50_000))
    const { peak } = await run([svc, 'upload', '-', '-j', '8'], { env, stdin })
    server.stop()
    row('memory of 1 GB of JSONL through svc upload -', peak, '≤', 250, 'MB')

    const jsonl = join(folder, 'conversations.jsonl')
    const file = createWriteStream(jsonl)
    Readable.from(lines(300e6, 5_000)).pipe(file)
    await once(file, 'close')
    const chatGpt = join(folder, 'conversations.json')
    await writeChatGptExport(chatGpt, 300e6)
    const measure = async (what: string, path: string) => {
      for (const argv of [
        ['convert', path, '--out', `${path}.out`, '--force'],
        ['convert', '--detect', path],
        ['upload', '--dry-run', path],
      ]) {
        const { peak } = await run([svc, ...argv], { env })
        const name = argv.filter((arg) => /^[a-z-]+$/.test(arg) && arg !== '--out' && arg !== '--force').join(' ')
        row(`memory of 300 MB of ${what} through svc ${name}`, peak, '≤', 250, 'MB')
      }
    }
    // Each on a core of its own.
    await Promise.all([measure('JSONL', jsonl), measure('a ChatGPT export', chatGpt)])
  })

const total = 10_000

/** Six turns; the annotator finds a signal in every third conversation. */
function conversationToCheck(at: number): string {
  const last = at % 3 === 0 ? 'This is ridiculous, let me speak to a human.' : 'Thank you, that helps.'
  const pair = (n: number) => [
    { role: 'user', content: `Order ${at}, question ${n}. ${n === 3 ? last : 'Where is it now?'}` },
    { role: 'assistant', content: `Order ${at} left the store on day ${n} and is on its way.` },
  ]
  return `${JSON.stringify({ messages: [1, 2, 3].flatMap(pair) })}\n`
}

/** `svc check` of ten thousand transcripts with cached annotations. */
export const benchCheck = (): Promise<void> =>
  withFolder(async (folder) => {
    let requests = 0
    const patterns = defaultAnnotators.find(({ id }) => id === 'patterns') as Annotator
    const annotate: Annotator['annotate'] = (request, context) => {
      requests++
      return patterns.annotate(request, context)
    }
    const server = createReferenceServer({ annotators: [{ ...patterns, annotate }] })
    const { baseUrl, publicBaseUrl, close } = await server.listen({ port: 0 })
    const summary = join(folder, 'summary.md')
    const env = {
      ...settingsIn(folder, baseUrl),
      SVC_API_KEY: referenceKey,
      SVC_PUBLIC_BASE_URL: publicBaseUrl,
      GITHUB_STEP_SUMMARY: summary,
    }
    writeFileSync(join(folder, 'all.jsonl'), Array.from({ length: total }, (_, at) => conversationToCheck(at)).join(''))
    const reports = ['json', 'junit', 'sarif', 'md', 'html'].map((id) => `${id}=report.${id}`)
    const argv = [svc, 'check', 'all.jsonl', '--annotator', 'patterns', '--quiet', '-j', '16']
    const all = [...reports, 'github'].flatMap((report) => ['--report', report])
    const check = () => {
      // An existing summary would leave less space for this run's.
      rmSync(summary, { force: true })
      return run([...argv, ...all], { env, cwd: folder, codes: [0, 100] })
    }
    await check()
    requests = 0
    const again = [await check(), await check()]
    await close()
    const what = 'svc check of 10 000 cached annotations with all reports'
    row(what, median(again.map(({ wall }) => wall)) / 1_000, '≤', 5, 's')
    row(`memory of ${what}`, Math.max(...again.map(({ peak }) => peak)), '≤', 400, 'MB')
    row('requests of svc check with nothing changed', requests, '≤', 0, '')
  })
