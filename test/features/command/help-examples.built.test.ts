import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { buildProgram, type Io } from '@svc/cli'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bin } from '../../helpers/built.js'
import { claudeSession, codexSession, jsonl } from '../../helpers/session-files.js'
import { svcCalls } from '../../helpers/svc-calls.js'

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

type Command = Awaited<ReturnType<typeof buildProgram>>

/** The lines under "Examples:" in the help of every command. */
function examplesOf(command: Command, help: { text: string }): string[] {
  help.text = ''
  command.outputHelp()
  const [, lines = ''] = help.text.split('\nExamples:\n')
  const own = command.commands.length > 0 ? [] : lines.split('\n').filter((line) => line.startsWith('  $ '))
  return [...own.map((line) => line.slice(4)), ...command.commands.flatMap((each) => examplesOf(each, help))]
}

const help = { text: '' }
const write = (text: string) => {
  help.text += text
}
const page = { isTTY: false, columns: 100, write }
const examples = examplesOf(await buildProgram({ stdout: page } as Io, () => {}), help)

const conversation = (question: string) => ({
  messages: [
    { role: 'user', content: question },
    { role: 'assistant', content: `About "${question}": your order left us this morning and comes tomorrow.` },
    { role: 'user', content: 'Thank you, that solves it.' },
    { role: 'assistant', content: 'You are welcome.' },
  ],
})

/** A folder with all that the examples speak of. */
function prepared(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-examples-'))
  folders.push(folder)
  const now = new Date().toISOString()
  const conversations = jsonl([conversation('Where is my order?'), conversation('Where is my refund?')])
  const files: Record<string, string> = {
    'transcript.json': JSON.stringify(conversation('Where is it?')),
    'conversations/a.json': JSON.stringify(conversation('Where is my parcel?')),
    'transcripts/a.json': JSON.stringify(conversation('Where is my letter?')),
    'conversations.jsonl': conversations,
    'export.zip': conversations,
    'session.jsonl': claudeSession('s', now),
    'svc.config.json': '{ "baseUrl": "https://annotate.example.com" }',
    'request.json': JSON.stringify({ annotator: 'structural', transcript: [{ role: 'user', content: 'hi' }] }),
    'service.json': JSON.stringify({
      schema: 'svc/contract@1',
      at: '2026-01-02T10:00:00.000Z',
      poll_ms: 1000,
      ambiguities: { created: { reading: 201 } },
      rules: [],
    }),
    'ci.sh': '#!/bin/sh\nsvc health && svc projects list\n',
    'home/.claude/projects/p/s.jsonl': claudeSession('s', now, { cwd: folder }),
    'home/.codex/sessions/rollout-r.jsonl': codexSession('r', now, 'Fix it', folder),
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  chmodSync(join(folder, 'ci.sh'), 0o755)
  return folder
}

/** The scripts that create the files and set the placeholders that an example needs. */
const preparation: [needs: RegExp, script: string][] = [
  [/tr_…|3f9c|77ab|uploads list/, 'svc upload conversations.jsonl --quiet > stored.tsv || true'],
  [/tr_…/, 'id=$(cut -f1 stored.tsv | head -1)'],
  [
    /--stored|transcripts pull/,
    'svc upload conversations.jsonl --model-name model-a --source-timestamp "$(date -u +%FT%TZ)" --quiet > /dev/null',
  ],
  [/3f9c/, `key=$(svc uploads list --json --fields key | sed -n '1s/.*"key":"\\([^"]*\\)".*/\\1/p')`],
  [/77ab/, `other=$(svc uploads list --json --fields key | sed -n '2s/.*"key":"\\([^"]*\\)".*/\\1/p')`],
  [/rejects\.jsonl/, `echo '{"messages":[]}' >> conversations.jsonl`],
  [/--to annotation --out conversations.jsonl/, 'rm conversations.jsonl'],
  [/^svc report|--against/, 'check() { svc check "$1" --annotator structural --report json=$2 --quiet > /dev/null; }'],
  [/main\.json/, 'check transcripts main.json'],
  [
    /--accept/,
    'svc check transcripts --annotator structural --baseline base.json --update-baseline --report json=old.json --quiet > /dev/null; sed -i.1 s/1\\.0\\.0/0.9.0/g base.json old.json',
  ],
  [
    /^svc report sample/,
    'svc check transcripts --annotator structural --report json=report.json --with-turns --quiet > /dev/null',
  ],
  [/--policy svc\.checks\.json/, `echo '{"annotator":"structural","paths":["transcripts"]}' > svc.checks.json`],
  [/branch\.json/, 'check transcripts branch.json'],
  [/old\.json new\.json/, 'check transcripts old.json; check transcripts new.json'],
  [/part-|reports\//, 'check transcripts part-1.json; check conversations.jsonl part-2.json'],
  [
    /shards\//,
    'mkdir shards; for n in 1 2 3 4; do svc check transcripts --annotator structural --shard $n/4 --report json=shards/$n.json --quiet > /dev/null; done',
  ],
  [/reports\//, 'mkdir reports; mv part-*.json reports'],
  [/^svc completion/, 'mkdir -p ~/.local/share/bash-completion/completions ~/.zfunc ~/.config/fish/completions'],
  [/\$PROFILE/, 'PROFILE=profile.ps1'],
  // A browser that shows nothing.
  [/--web/, 'export BROWSER=true TMPDIR=$PWD'],
  [/key\.txt/, 'printf "%s\\n" "$SVC_API_KEY" > key.txt'],
  [/logout --profile work|--profile work$/, 'svc auth login --profile work --no-verify --quiet < key.txt'],
]
const placeholders: [string, string][] = [
  ['hp-…', '"$SVC_PROJECT"'],
  ['tr_…', '"$id"'],
  ['3f9c', '"$key"'],
  ['77ab', '"$other"'],
  // The signal is for the command, not for its shell.
  ['svc mock --port 4010', 'exec svc mock --port 0'],
]
/** Only what was refused can be sent again. */
const faults: [needs: RegExp, fault: string][] = [[/uploads retry/, 'transcripts.upload: status; code=400; times=9']]
/** Codes that are documented for what an example does; all others end with 0. */
const codes: [needs: RegExp, code: number][] = [
  [/rejects\.jsonl/, 8],
  // Served until it is stopped.
  [/^svc mock(?!.* -- )/, 143],
  // Nobody is there to confirm what it creates.
  [/^svc contract(?!.*--yes)/, 2],
]
const of = <T>(table: [RegExp, T][], line: string): T[] =>
  table.filter(([needs]) => needs.test(line)).map(([, it]) => it)

const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(SVC_|XDG_|CI$)/.test(name)))
/** A new folder for one svc. */
function folderOf(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bin-'))
  folders.push(folder)
  return folder
}
const asProcess = folderOf()
symlinkSync(bin, join(asProcess, 'svc'))

/** An `svc` that this process runs: see `svcCalls`. */
const asCall = folderOf()
let calls: Awaited<ReturnType<typeof svcCalls>>

const start = (argv: string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}) =>
  spawn(process.execPath, [bin, 'mock', ...argv], { env, ...options, stdio: ['ignore', 'pipe', 'pipe'] })
let serving: ReturnType<typeof start>
let served: Record<string, string>
beforeAll(async () => {
  calls = await svcCalls(asCall)
  serving = start(['--json'])
  served = JSON.parse(String(await new Promise((resolve) => serving.stdout.once('data', resolve))))
})
afterAll(async () => {
  await new Promise((resolve) => serving.on('close', resolve).kill())
  await calls.close()
})

/** Matches examples that need `svc` as a process: it reads from a pipe, opens a browser, or is a server. */
const needsProcess = /\| svc|--web|^svc mock/

/** Runs an example as it is typed: at a service, in a folder and with settings and state of its own. */
function runExample(line: string): Promise<{ code: number | null; err: string }> {
  const cwd = prepared()
  const typed = placeholders.reduce((text, [placeholder, value]) => text.replaceAll(placeholder, value), line)
  const first = (folder: string) => `PATH='${folder}'${delimiter}$PATH`
  const own = needsProcess.test(line) ? [first(asProcess)] : []
  const script = [first(asCall), ...of(preparation, line), ...own, typed].join('\n')
  const faulty = of(faults, line).flatMap((fault) => ['--fault', fault])
  const world = { ...env, HOME: join(cwd, 'home') }
  const mine = { SVC_STATE_DIR: join(cwd, 'state'), SVC_CACHE_DIR: join(cwd, 'cache'), SVC_CONFIG: join(cwd, 'c.json') }
  const child =
    faulty.length > 0
      ? start([...faulty, '--', 'sh', '-c', script], { cwd, env: world })
      : spawn('sh', ['-c', script], { cwd, env: { ...world, ...served, ...mine }, stdio: ['ignore', 'pipe', 'pipe'] })
  let err = ''
  child.stderr.on('data', (chunk) => {
    err += chunk
    if (/Ctrl-C stops/.test(err) && !child.killed) child.kill('SIGTERM')
  })
  child.stdout.resume()
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, err })))
}

describe('an example of --help', () => {
  it.concurrent.each(examples.map((line) => [line.replace(/^svc /, ''), line]))('%s works', async (_, line = '') => {
    const { code, err } = await runExample(line)
    expect([code, err]).toEqual([of(codes, line)[0] ?? 0, expect.anything()])
  })

  it('an example of --help is there for every command', () => {
    expect(examples.length).toBeGreaterThan(40)
  })
})
