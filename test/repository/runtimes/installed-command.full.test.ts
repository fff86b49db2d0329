import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { install } from '../../helpers/installed.js'
import { cleanEnv, onTerminal } from '../../helpers/own-service.js'

const { folder, remove } = install(['client', 'transcripts', 'reference-server', 'cli'])
afterAll(remove)
const command = join(folder, 'node_modules/.bin/svc')

const conversation = (name: string, ...said: string[]) =>
  JSON.stringify({ name, turns: said.map((content, at) => ({ role: at % 2 ? 'assistant' : 'user', content })) })
const good = conversation('Thanks', 'Thanks, solved!', 'Glad to help.')
const bad = conversation('Refund', 'I already told you. This is ridiculous.')

let runs = 0
/** Runs a script on a terminal inside `svc mock`, in a folder of its own with these files. */
async function session(script: string, files: Record<string, string> = {}, columns = 80) {
  const cwd = join(folder, `session-${runs++}`)
  for (const [path, text] of Object.entries({ 'mine/good.json': good, 'mine/bad.json': bad, ...files })) {
    mkdirSync(join(cwd, path, '..'), { recursive: true })
    writeFileSync(join(cwd, path), text)
  }
  const inside = `cd "${cwd}"; at() { "$@"; echo "code $?"; }; ${script}`
  const env = { ...cleanEnv, HOME: cwd, TERM: 'xterm', NO_COLOR: '1' }
  const { sent, code } = await onTerminal(['mock', '--', 'sh', '-c', inside], env, columns, [command]).ended
  return { code, shown: stripVTControlCharacters(sent).replaceAll('\r\n', '\n') }
}

// Each point is tested in depth on the sources; here the command does it as npm installs it.
describe('the installed command', () => {
  it('1: fits its tables into 80 columns, and prints blocks of lines below', async () => {
    const script = 'svc upload -q mine > ids; svc projects list; svc transcripts list; svc uploads list'
    const { shown } = await session(script)
    expect(shown).toMatch(/^ID +NAME +TURNS +STATUS +CREATED$/m)
    for (const line of shown.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
    expect((await session(script, {}, 60)).shown).toMatch(/^ID {7}tr_\S+\nNAME {5}/m)
  })

  it('2: ends a large upload with its summary, and prints all rows with --show-all', async () => {
    const many = Array.from({ length: 25 }, (_, at) => conversation(`no ${at}`, `This is ${at}.`)).join('\n')
    const { shown } = await session('svc upload many.jsonl; echo ==; svc upload many.jsonl --show-all', {
      'many.jsonl': many,
    })
    const [summary = '', all = ''] = shown.split('==')
    expect(summary).toContain('25 transcripts uploaded to hp-')
    expect([summary.match(/tr_/g), all.match(/^tr_/gm)?.length]).toEqual([null, 25])
  })

  it('3: shows a transcript with its turns, also in a browser', async () => {
    const script = 'svc upload -q mine/bad.json > id; svc transcripts read $(cat id) | cat; '
    const { shown } = await session(`${script} BROWSER=head svc transcripts read $(cat id) --web | head -c 200`)
    expect(shown).toMatch(/1 user\n {2}I already told you\. This is ridiculous\./)
    expect(shown).toContain('<!doctype html>')
  })

  it('4: helps with every noun, topic and code, and says when a list is empty', async () => {
    const script = 'svc projects help; svc help projects list; svc help exit-codes; svc explain 75; at svc help uplod'
    const { shown } = await session(`${script}; svc transcripts list --q nothing`)
    const usages = ['Usage: svc projects [options] [command]', 'Usage: svc projects list']
    for (const text of [...usages, 'The command line is wrong.', 'Exit code 75', 'did you mean upload?'])
      expect(shown).toContain(text)
    expect(shown).toMatch(/code 2\nno transcripts\n$/)
  })

  it('5: refuses an unknown field before it sends, and prints ids only with --quiet', async () => {
    const { shown } = await session('at svc upload mine --fields nope; svc uploads list; svc upload mine -q')
    expect(shown).toMatch(/Unknown field "nope"[\s\S]*code 2\nno items\ntr_\S+\ntr_\S+\n$/)
  })

  it('6: keeps rejects as they were, and sends them once they are corrected', async () => {
    const wrong = conversation('Wrong', 'hi').replace('"name"', '"language":"much too long","name"')
    const script = `at svc upload both.jsonl --continue-on-invalid --rejects r.jsonl
      sed -i 's/much too long/en/' r.jsonl; at svc upload r.jsonl --retry-rejects; at svc projects get hp-x --json 2> /dev/null`
    const { shown } = await session(script, { 'both.jsonl': `${good}\n${wrong}\n` })
    expect(shown).toMatch(/both\.jsonl:2:\d+ \/language expected at most 10 characters[\s\S]*code 8\n/)
    expect(shown).toMatch(/1 transcript uploaded[\s\S]*code 0\n/)
    expect(shown).toMatch(/"kind":"not_found","code":"not_found_error"[^\n]*"hint":[^\n]*"status":404[^\n]*\ncode 5/)
  })

  it('7: sets itself up, and leads to a red and a green gate', async () => {
    const script = `echo $SVC_WORKSPACE_API_KEY > key; A=$SVC_BASE_URL; B=$SVC_PUBLIC_BASE_URL
      unset SVC_API_KEY SVC_ANNOTATION_API_KEY SVC_WORKSPACE_API_KEY SVC_BASE_URL SVC_PUBLIC_BASE_URL SVC_PROJECT
      svc init --base-url $A --public-base-url $B --create-project Mine --annotator patterns --path mine < key
      at svc check -q; rm mine/bad.json; at svc check -q`
    expect((await session(script)).shown).toMatch(/code 100\n[\s\S]*code 0\n$/)
  })

  it('8: checks a sample, stops at a number of failures, and counts by tag', async () => {
    const script = `at svc check mine --annotator patterns --sample 1 --seed 3
      at svc check mine --annotator patterns --max-failures 1 -j 1; at svc check mine --policy tags.json --report md=-`
    const policy = { annotator: 'patterns', tags: { team: 'team' }, paths: ['mine'] }
    const tagged = JSON.stringify({ ...JSON.parse(bad), metadata: { team: 'blue' } })
    const files = { 'tags.json': JSON.stringify(policy), 'mine/bad.json': tagged }
    const { shown } = await session(script, files)
    expect(shown).toMatch(/1 of 2 not selected\n/)
    expect(shown.match(/^code 100$/gm)?.length).toBeGreaterThanOrEqual(2)
    expect(shown).toMatch(/blue/)
  })

  it('9: says before a run what it costs', async () => {
    const policy = { annotator: 'patterns', prices: { currency: 'EUR', in: 3, out: 15 } }
    const { shown } = await session('svc check mine --policy p.json --dry-run', { 'p.json': JSON.stringify(policy) })
    expect(shown).toMatch(/2 requests \(3 messages, about \d+ tokens in for EUR 0\.\d+\) would be made/)
  })

  it('10: runs rules in TypeScript, and no program that it found by itself', async () => {
    const policy = `import { defineChecks } from '@svc/cli/checks'
      export default defineChecks({ annotator: 'structural', rules: {
        greets: ({ transcript: { turns } }) => (turns[0].content.startsWith('Thanks') ? [] : [{ message: 'no greeting', turn: 1 }]),
      } })`
    const script = 'at svc check mine; at svc check mine --policy svc.checks.ts'
    const { shown } = await session(script, { 'svc.checks.ts': policy })
    expect(shown).toMatch(/svc config trust[\s\S]*code 3\n[\s\S]*no greeting[\s\S]*code 100\n$/)
  })

  it('11: compares two runs', async () => {
    const script = `mkdir runs; svc check mine --annotator patterns --report json=runs/a.json -q > /dev/null
      rm mine/bad.json; svc check mine --annotator patterns --report json=runs/b.json -q > /dev/null
      svc report compare runs/a.json runs/b.json --report html=compared.html; grep -c removed compared.html`
    const { shown } = await session(script)
    expect(shown).toMatch(/\n[1-9]\d*\n/)
  })

  it('12 and 13: writes a report for each reader', async () => {
    const kinds = ['html', 'json', 'junit', 'sarif', 'gitlab', 'md']
    const reports = kinds.map((kind) => `--report ${kind}=out/r.${kind}`).join(' ')
    const { shown } = await session(
      `at svc check mine --annotator patterns ${reports} -q; ls out; grep -l Refund out/*`,
    )
    expect(shown).toContain('code 100')
    for (const kind of kinds) expect(shown.match(new RegExp(`r\\.${kind}\\b`, 'g'))?.length, kind).toBe(2)
  })

  it('14: is what the recipe for any CI calls', async () => {
    const { shown } = await session('at sh gate.sh mine; echo reports/*', {
      'gate.sh': readFileSync(new URL('../../../examples/gate/gate.sh', import.meta.url), 'utf8'),
      'svc.checks.json': JSON.stringify({ annotator: 'patterns' }),
    })
    expect(shown).toMatch(/code 100\nreports\/junit\.xml reports\/report\.html reports\/report\.json\n$/)
  })
})
