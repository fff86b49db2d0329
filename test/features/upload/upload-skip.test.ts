import { describe, expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'

const turn = (content: string) => ({ turns: [{ role: 'user', content }] })
const session = (content: string) => ({ ...turn(content), external_id: 'e' })

/** A shell that has stored one transcript, and then uploads it beside a changed one and two equal ones. */
async function stored() {
  const shell = createShell()
  await shell.svc(['upload', 'old.jsonl'], { files: { 'old.jsonl': JSON.stringify(session('one')) } })
  const now = [session('one'), session('one, and more'), turn('two'), turn('two')]
  const files = { 'new.jsonl': now.map((each) => JSON.stringify(each)).join('\n') }
  const upload = (...flags: string[]) => shell.svc(['upload', 'new.jsonl', '--json', ...flags], { files })
  const counts = async (...flags: string[]) => {
    const plan = (await upload(...flags, '--dry-run')).lines().at(-1) ?? {}
    const { uploaded, ...skipped } = (await upload(...flags)).lines().at(-1) ?? {}
    const { already_uploaded, skipped_changed, skipped_duplicate } = skipped
    expect(plan).toMatchObject({ planned: uploaded, already_uploaded, skipped_changed, skipped_duplicate })
    return { uploaded, already_uploaded, skipped_changed }
  }
  return { upload, counts }
}

it('names each transcript that repeats an earlier one, and that one, in the plan as in the run', async () => {
  const { svc } = createShell()
  const files = { 'in/a.json': turn('one'), 'in/b.json': turn('one'), 'in/c.json': turn('two') }
  const skipped = {
    result: 'skipped_duplicate',
    path: 'in/b.json',
    record: 1,
    same_as: { path: 'in/a.json', record: 1 },
  }
  for (const more of [['--dry-run'], []]) {
    const argv = ['upload', 'in', '--skip', 'repeated', '--json', ...more]
    const { lines, err } = await svc(argv, { files })
    expect(lines().filter(({ result }) => result === 'skipped_duplicate')).toMatchObject([skipped])
    expect(err).toContain(
      '1 transcript with the content of an earlier one of this run skipped: in/b.json (as in/a.json)',
    )
  }
})

it('counts each transcript that repeats an earlier one as skipped, also if the run is stopped before the others', async () => {
  const { svc, clock, fetch } = createShell()
  const slow = async (request: Request) => {
    if (request.method === 'POST') await new Promise<void>((resolve) => clock.after(60_000, resolve))
    return fetch(request)
  }
  const files = {
    'all.jsonl': ['one', 'two', 'three', 'one', 'two'].map((text) => JSON.stringify(turn(text))).join('\n'),
  }
  const argv = ['upload', 'all.jsonl', '--skip', 'repeated', '--json', '-j', '1', '--deadline', '2s']
  const summary = (await clock.until(svc(argv, { files, io: { fetch: slow } }))).lines().at(-1)
  expect(summary).toMatchObject({ unknown: 1, skipped_duplicate: 2, not_sent: 2 })
})

describe('svc upload --skip', () => {
  it.each([
    [['--skip', 'stored'], { uploaded: 3, already_uploaded: 1, skipped_changed: 0 }],
    [['--skip', 'repeated'], { uploaded: 2, already_uploaded: 1, skipped_changed: 0 }],
    [['--skip=changed'], { uploaded: 2, already_uploaded: 1, skipped_changed: 1 }],
    [['--skip', 'stored, changed,repeated'], { uploaded: 1, already_uploaded: 1, skipped_changed: 1 }],
    [['--skip', 'changed', '--skip', 'repeated'], { uploaded: 1, already_uploaded: 1, skipped_changed: 1 }],
    [['--skip', 'repeated', '--again'], { uploaded: 3, already_uploaded: 0, skipped_changed: 0 }],
  ])('svc upload with %j skips the kinds that it names, as its plan says', async (flags, expected) => {
    const { counts } = await stored()
    expect(await counts(...flags)).toEqual(expected)
  })

  it.each([
    [['--skip', 'repeat'], 'is invalid. Expected some of stored,repeated,changed.', '(Did you mean repeated?)'],
    [['--skip', 'stored,chnged'], "argument 'stored,chnged' is invalid", '(Did you mean changed?)'],
    [['--skip', ''], "argument '' is invalid", 'for usage'],
    [['--skip', 'none'], "argument 'none' is invalid", 'for usage'],
    [['--again', '--skip', 'stored'], '--again and --skip stored cannot be used together.', 'remove one of the two'],
  ])('refuses %j before anything is sent', async (flags, message, hint) => {
    const { svc, server } = createShell()
    const { code, err } = await svc(['upload', 'a.json', ...flags], { files: { 'a.json': turn('one') } })
    expect([code, err, server.requests.length]).toEqual([2, expect.stringContaining(message), 0])
    expect(err).toContain(hint.replace(/[()]/g, ''))
  })
})
