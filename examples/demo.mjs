// The main job, end to end: `pnpm demo` starts the reference server with `svc mock` and runs this against it.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const windows = process.platform === 'win32'
const root = fileURLToPath(new URL('..', import.meta.url))
const conversation = 'examples/transcript.json'

// Outside `svc mock` there is no service yet: start one, and run this script again inside it.
if (process.env.SVC_MOCK === undefined) {
  const svc = [fileURLToPath(new URL('../packages/cli/bin/svc.js', import.meta.url)), 'mock', '--']
  const { status } = spawnSync(process.execPath, [...svc, process.execPath, fileURLToPath(import.meta.url)], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, SVC_MOCK: '1' },
  })
  process.exit(status ?? 1)
}

/** Shows a command and runs it. Its output is shown, and with `capture` also returned. */
function svc(args, { capture = false, expect = 0 } = {}) {
  console.log(`\n$ svc ${args.map((arg) => (/^[\w./=:-]+$/.test(arg) ? arg : JSON.stringify(arg))).join(' ')}`)
  const { status, stdout } = spawnSync('svc', args, {
    cwd: root,
    shell: windows,
    encoding: 'utf8',
    stdio: ['ignore', capture ? 'pipe' : 'inherit', 'inherit'],
    // The output for a terminal, also in a pipe; colour only on a terminal.
    env: { ...process.env, SVC_FORCE_TTY: '100', ...(process.stdout.isTTY ? {} : { NO_COLOR: '1' }) },
  })
  if (status !== expect) process.exit(status ?? 1)
  if (capture) console.log(stdout.trimEnd())
  return stdout
}

const project = svc(['projects', 'create', '--name', 'Bookshop support'], { capture: true }).trim()
const uploaded = svc(['upload', conversation, '--project', project], { capture: true })
svc(['annotate', conversation, '--annotator', 'patterns'])
console.log('Each signal names a turn, and its line in the file. The stored transcript has the same turns:')
svc(['transcripts', 'get', /tr_[\w-]+/.exec(uploaded)[0]])
console.log('\nThe same as a gate for CI; it fails with exit code 100:')
svc(['check', conversation, '--annotator', 'patterns', '--fail-on', 'poor'], { expect: 100 })
console.log(
  '\nDone. `node packages/cli/bin/svc.js mock -- sh` opens a shell with such a service; continue with README.md.',
)
