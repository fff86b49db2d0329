import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { constants, tmpdir } from 'node:os'
import { delimiter, join, parse } from 'node:path'
import {
  createServer,
  environmentOf,
  type JournalEntry,
  type Listening,
  type ReferenceServer,
  requestLine,
  type ServerOptions,
  Violations,
  withoutProxy,
} from '@svc/reference-server/core'
import { escapeLine } from '@svc/text'
import { type Command, InvalidArgumentError } from 'commander'
import { changeUserFile, loadSettings } from '../../config/index.js'
import { type Context, canAsk } from '../../context.js'
import { exitCodeFor } from '../../errors.js'
import { CliError, type ExitCode, exit } from '../../exit.js'
import { type Io, refuseUnwritableFile, writeOut } from '../../io/index.js'
import { documentOf, jsonLine, printJson, printJsonLine } from '../../output/index.js'
import { serviceNames, settings } from '../../settings.js'
import { type Action, examples, type SetAction } from '../action.js'
import { keyValue, texts, upTo } from '../arguments.js'
import { formTargets } from '../flags.js'
import { checkForms, clearReports, reportViolations } from './check.js'
import { type MockFlags, serverOptions } from './options.js'

type Variables = Record<string, string>

export const mock: Action<[string[]], MockFlags> = async (context, [command], flags) => {
  const { io } = context
  const { data, readyFile } = flags
  if (readyFile !== undefined) await refuseUnwritableFile(io, 'the ready file', readyFile)
  if (flags.check) await clearReports(context, flags.report ?? [], [flags.seed, flags.script, flags.like])
  else if (flags.report) throw new CliError(exit.usage, '--report requires --check.')
  const token = crypto.randomUUID()
  const violations = new Violations()
  const onRequest = (entry: JournalEntry) => {
    violations.add(entry)
    if (context.flags.verbose) showRequest(context, entry, command)
  }
  const server = made(await serverOptions(context, flags, token, onRequest))
  try {
    if ((flags.seed || flags.script) && server.restored)
      context.say('The folder already has data; seed and script are ignored.')
    const home = await makeHome(context, data === undefined ? undefined : io.resolve(data))
    try {
      const code = await listenIn(home, server, token, context, command, flags)
      return flags.check
        ? await reportViolations(context, violations, flags.report ?? [], { code, isServer: command.length === 0 })
        : code
    } finally {
      await home.remove()
    }
  } finally {
    server.close()
  }
}

async function listenIn(
  home: Home,
  server: ReferenceServer,
  token: string,
  context: Context,
  command: string[],
  flags: MockFlags,
): Promise<ExitCode> {
  const { io } = context
  const { readyFile } = flags
  const listening = await listen(server, flags)
  try {
    const steering = { SVC_CONTROL_URL: `${listening.baseUrl}/_svc`, SVC_CONTROL_TOKEN: token }
    const served = { ...environmentOf(server.world, listening), ...listening.trust(home.root, io.env) }
    const variables = { ...served, ...(flags.control && steering), ...home.variables }
    // It is printed to be used, also where the environment has it already.
    context.keys.delete(variables.SVC_API_KEY)
    // The token is behind the #, which a browser sends nowhere.
    if (flags.control) context.say(`see the requests at ${listening.baseUrl}/_svc/#token=${token}`)
    // Nothing waits between listening and printing: no request is answered before.
    if (command.length === 0) print(context, variables)
    if (readyFile !== undefined) await writeReadyFile(context, readyFile, variables)
    if (command.length === 0) return await serve(context, variables)
    const [program = '', ...words] = command
    if (words.length === 0 && shells.has(parse(program).name) && canAsk(context)) greet(context, variables, flags)
    const path = [home.bin, io.env.PATH].filter(Boolean).join(delimiter)
    // Those of the user belong to another service.
    const unset = Object.fromEntries(serviceNames.map((name) => [settings[name].variable, undefined]))
    return await runChild(io, command, { ...io.env, ...unset, ...variables, ...withoutProxy(io.env), PATH: path })
  } finally {
    if (readyFile !== undefined) await io.removeFile(readyFile)
    await listening.close()
  }
}

const shells = new Set(['sh', 'bash', 'dash', 'ksh', 'zsh', 'fish', 'pwsh', 'powershell', 'cmd'])

/** Tell a person where the shell leads. */
function greet({ say }: Context, { SVC_BASE_URL, SVC_PROJECT }: Variables, { submitError, control }: MockFlags): void {
  const status = submitError
    ? 'get the status error'
    : `stay queued${control ? ' until the control API changes them' : ''}`
  say(`reference server at ${SVC_BASE_URL}, project ${SVC_PROJECT}; uploaded transcripts ${status}`)
  say('try: svc upload FILE, svc transcripts list, svc check FILE --annotator structural')
  say('exit leaves the shell and stops the server')
}

function writeReadyFile(context: Context, path: string, variables: Variables): Promise<void> {
  const text = context.flags.json ? jsonLine(context, documentOf('svc/mock@1', variables)) : exportsOf(variables)
  return writeOut(context.io, 'the ready file', path, [text], { isPrivate: true })
}

/** A seed may say what cannot be, such as one id twice, and a world that is kept may be of another making. */
function made(options: ServerOptions): ReferenceServer {
  try {
    return createServer(options)
  } catch (cause) {
    options.store?.close()
    throw new CliError(exit.input, `Cannot start the server: ${escapeLine((cause as Error).message)}`, { cause })
  }
}

function listen(server: ReferenceServer, { port = 0, host, tls = false }: MockFlags): Promise<Listening> {
  return server.listen({ port, tls, ...(host && { host }) }).catch((cause: NodeJS.ErrnoException) => {
    const hint = cause.code === 'EADDRINUSE' ? 'omit --port to use a free port' : 'use an address of this machine'
    throw new CliError(exit.input, cause.message, { hint, cause })
  })
}

const exportsOf = (variables: Variables): string =>
  Object.entries(variables)
    .map(([name, value]) => `export ${name}=${quoted(value)}\n`)
    .join('')

function print(context: Context, variables: Variables): void {
  if (context.flags.json) printJson(context, documentOf('svc/mock@1', variables))
  else context.io.stdout.write(exportsOf(variables))
}

/** A line on stderr, and with `--json` a document on standard output if that belongs to no command. */
function showRequest(context: Context, entry: JournalEntry, command: readonly string[]): void {
  context.io.stderr.write(`${requestLine(entry)}\n`)
  if (context.flags.json && command.length === 0) printJsonLine(context, documentOf('svc/mock-request@1', entry))
}

async function serve(context: Context, variables: Variables): Promise<ExitCode> {
  const { io } = context
  const { SVC_BASE_URL, NODE_EXTRA_CA_CERTS: ca } = variables
  const certificate = SVC_BASE_URL?.startsWith('https:') ? ` and removes the certificate, ${ca}` : ''
  context.say(`serving both surfaces, described at ${SVC_BASE_URL}/docs; Ctrl-C stops${certificate}`)
  if (!io.signal.aborted) await once(io.signal, 'abort')
  return exitCodeFor(io.signal.reason)
}

export function mockCommand(command: Command, setAction: SetAction): void {
  command
    .option('--port <n>', 'port to listen on (default: a free port)', upTo(65_535, 0))
    .option('--host <address>', 'address to listen on (default: 127.0.0.1 and ::1, local only)')
    .option('--allow-host <host>', 'accept this Host header besides localhost; repeatable', texts)
    .option('--allow-origin <origin>', 'accept this Origin, such as https://app.example; repeatable', texts)
    .option('--data <dir>', 'keep all data in this directory across restarts; on Node 20, npm install libsql', named)
    .option('--seed <file>', 'JSON file with initial workspaces, keys, projects and transcripts')
    .option('--script <file>', 'JSON file with annotators that answer by a script')
    .option('--limit <n/time>', 'rate limit of each key, such as 200/10s')
    .option('--saturation <n/time>', 'rate limit of annotations over all keys')
    .option(
      '--fault <rule>',
      'inject a fault or a scripted answer, such as "transcripts.upload: lost; times=1", or as JSON; repeatable',
      texts,
    )
    .option('--submit-error', 'fail every annotation job: uploads get processing_status error')
    .option('--fault-header', 'let requests inject faults with the header svc-fault')
    .option(
      '--ambiguity <k=v>',
      'choose the behavior where the interface is ambiguous, such as listLagMs=8000 or "rowFields=no metadata"; repeatable',
      keyValue,
    )
    .option('--like <file>', 'start with the behavior that svc contract --save has seen; --ambiguity wins over it')
    .option('--tls', 'serve over https, with a certificate of its own that the command trusts')
    .option('--control', 'serve a page of the requests and the control API under /_svc/, protected by a token')
    .option('--check', 'end with 100 if a request departs from the interface, though it was answered')
    .option(
      '--report <format=file>',
      `write what --check found: ${checkForms.join(', ')}; repeatable`,
      formTargets(checkForms),
    )
    .option('--ready-file <file>', 'write the variables to this file once the server runs; removed at the end', named)
    .addHelpText(
      'after',
      `
The command gets SVC_API_KEY, SVC_BASE_URL, SVC_PUBLIC_BASE_URL and SVC_PROJECT, the keys of
both surfaces (to try a wrong key, change SVC_WORKSPACE_API_KEY or SVC_ANNOTATION_API_KEY), separate
directories for state, cache and configuration, this svc first on its PATH, and NO_PROXY extended
by localhost; with --control also SVC_CONTROL_URL and SVC_CONTROL_TOKEN, and a link to a page that
shows the requests is printed; with --tls also
NODE_EXTRA_CA_CERTS, SSL_CERT_FILE, REQUESTS_CA_BUNDLE and CURL_CA_BUNDLE, which name files in a
temporary directory. svc mock exits with the exit code of the command, without one with 130 or 143
when it is stopped; with --check 100 in place of these or of 0 if the requests had unknown fields or
parameters, values out of bounds, paths that do not exist, or no key. /docs of the base URL
describes both surfaces. The README of @svc/reference-server lists all faults, and all ambiguities
with their readings.
${examples(
  'svc mock -- ./ci.sh',
  `svc mock -- sh -c 'svc upload conversations/ --json'`,
  'svc mock --port 4010 --data ./data',
  'svc mock --check --report junit=requests.xml -- ./ci.sh',
  `svc mock --fault 'annotations.create: status; code=503; times=2' -- ./ci.sh`,
)}`,
    )
  setAction(command, mock)
}

/** An empty name, as of a variable that is not set, would be the current folder. */
function named(text: string): string {
  if (text !== '') return text
  throw new InvalidArgumentError('Expected a name that is not empty.')
}

/** Runs a command to its end and passes its exit code on: its own, or 128 and the number of the signal it died of. */
async function runChild(io: Io, command: string[], env: Record<string, string | undefined>): Promise<ExitCode> {
  const [program = '', ...args] = command
  io.signal.throwIfAborted()
  const child = io.spawn(program, args, env)
  // A terminal sends Ctrl-C to every process on it, so there the command has it already.
  const forget = io.onSignal((signal) => {
    if (signal !== 'SIGINT' || !io.stdinIsTTY) child.kill(signal)
  })
  try {
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
    // Whatever number the child ends with is passed on, also one that svc itself never uses.
    return (code ?? 128 + constants.signals[signal ?? 'SIGTERM']) as ExitCode
  } catch (error) {
    const cause = error as NodeJS.ErrnoException
    const why = cause.code === 'ENOENT' ? 'no such command' : (cause.code ?? cause.message)
    throw new CliError(exit.usage, `${program}: cannot be run: ${why}.`, { cause })
  } finally {
    forget()
  }
}

type Home = Awaited<ReturnType<typeof makeHome>>

/**
 * Make folders for one run, so that nothing of the user's is touched, and a `svc` in `bin` that starts this very one. Of the
 * user's settings it gets only which files are trusted. State, cache and configuration stay in `kept` where a world is kept.
 */
async function makeHome({ io, flags }: Context, kept: string | undefined) {
  const { node, script } = io.self
  const root = await mkdtemp(join(tmpdir(), 'svc-mock-')).catch((cause: unknown) => {
    throw new CliError(exit.input, `Cannot create a folder in ${tmpdir()}.`, {
      hint: 'set TMPDIR to a writable folder',
      cause,
    })
  })
  const bin = join(root, 'bin')
  await mkdir(bin)
  await writeFile(join(bin, 'svc'), `#!/bin/sh\nexec ${quoted(node)} ${quoted(script)} "$@"\n`)
  await chmod(join(bin, 'svc'), 0o755)
  await writeFile(join(bin, 'svc.cmd'), `@"${node}" "${script}" %*\r\n`)
  const home = kept ?? root
  const config = join(home, 'config.json')
  // Whoever trusts nothing yet, or has settings that cannot be read, is asked by the command.
  const { user } = await loadSettings(io, flags, () => {}, { mayBeNew: true }).catch(() => ({ user: undefined }))
  const trusted = user?.settings?.trusted
  if (trusted) await changeUserFile(io, config, (now) => ({ ...now, trusted: { ...now.trusted, ...trusted } }))
  return {
    variables: { SVC_STATE_DIR: join(home, 'state'), SVC_CACHE_DIR: join(home, 'cache'), SVC_CONFIG: config },
    root,
    bin,
    remove: () => rm(root, { recursive: true, force: true }),
  }
}

const quoted = (path: string) => `'${path.replaceAll("'", "'\\''")}'`
