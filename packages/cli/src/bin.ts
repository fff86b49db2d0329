import { cachedDataVersionTag } from 'node:v8'
import { askedHelp } from './asked-help.js'
import { buildId } from './compiled/build-id.js'
import { createChunks } from './compiled/chunks.js'
import { nothing, readCompiled } from './compiled/file.js'
import { compiledFileOf } from './compiled/place.js'
import { outputOf } from './io.js'
import type { World } from './main.js'
import { version } from './version.js'

/** A reader such as `head` may leave before the end; that is no error, and no reason to stop what is under way. */
const gone = new Set(['EPIPE', 'ERR_STREAM_DESTROYED'])

function watched<Stream extends NodeJS.WriteStream & { fd: number }>(stream: Stream): Stream {
  return stream.on('error', (error: NodeJS.ErrnoException) => {
    if (gone.has(error.code ?? '')) return
    if (stream.fd === 1) process.stderr.write(`svc: the output cannot be written (${error.code}).\n`)
    process.exitCode = 1
  })
}

/** The folder may be gone; then a path in it leads nowhere, which is told where one is opened. */
function cwd(): string {
  try {
    return process.cwd()
  } catch {
    return process.env.PWD || '/'
  }
}

let stdout: typeof process.stdout | undefined
let stderr: typeof process.stderr | undefined
/** A stream takes long to open, and only those are opened that are used. */
const world: World = {
  env: process.env,
  execPath: process.execPath,
  versions: process.versions,
  argv: process.argv,
  cwd,
  exit: (code) => process.exit(code),
  onSignal: (name, listener) => void process.on(name, listener),
  get stdin() {
    return process.stdin
  },
  get stdout() {
    stdout ??= watched(process.stdout)
    return stdout
  },
  get stderr() {
    stderr ??= watched(process.stderr)
    return stderr
  },
}

/** What is known without loading anything: scripts and hands ask for it all day. */
function known(argv: readonly string[]): string | undefined {
  const [word, ...more] = argv
  if (more.length === 0 && (word === '--version' || word === '-V')) return `${version}\n`
  return askedHelp(argv, __dirname, () => outputOf(world.stdout, world.env.SVC_FORCE_TTY))
}

/** Runs the command line with the code that V8 made of it before, and keeps that for the next run where it is new. */
async function runCompiled(): Promise<void> {
  const userId = process.getuid?.()
  const file = compiledFileOf(process.env, process.argv.slice(2), buildId, () => cachedDataVersionTag())
  const chunks = createChunks(__dirname, require, file === undefined ? nothing : readCompiled(file, userId))
  const { main, keepCompiled } = chunks.load('main.cjs') as typeof import('./main.js')
  const code = await main(world)
  // Set already where the output could not be written.
  process.exitCode ??= code
  if (file !== undefined && chunks.areNew()) await keepCompiled(code, { file, compiled: chunks.compiled, userId })
}

const text = known(process.argv.slice(2))
if (text !== undefined) world.stdout.write(text)
else void runCompiled()
