import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createShell } from '../../helpers/run-cli.js'

const conversation = (content: string) => ({ name: content, turns: [{ role: 'user', content }] })
const conversations = [conversation('one'), conversation('two'), conversation('three')]

/** Three conversations that are uploaded, and what a second run does. */
async function uploaded(...flags: string[]) {
  const shell = createShell()
  const first = await shell.svc(['upload', 'conversations.json', '--json', ...flags], {
    files: { 'conversations.json': conversations },
  })
  const ids = first.lines().flatMap(({ id }) => (typeof id === 'string' ? [id] : []))
  const before = shell.server.requests.length
  const stored = () => shell.server.world.transcripts(shell.project).length
  const again = async (files: Record<string, unknown> = {}, argv = ['upload', 'conversations.json'], env = {}) => {
    const result = await shell.svc([...argv, '--json'], { files, env })
    return { ...result, summary: result.lines().at(-1), results: result.lines().map((line) => line.result) }
  }
  const requests = () => shell.server.requests.length - before
  return { ...shell, ids, stored, again, requests }
}

describe('a repeated upload', () => {
  it('a repeated upload is sent once, and its stored ids are printed', async () => {
    const { again, ids, stored, requests } = await uploaded()
    const { code, lines, summary, err } = await again()
    expect([code, lines().flatMap(({ id }) => id ?? [])]).toEqual([0, ids])
    expect(summary).toMatchObject({ uploaded: 0, already_uploaded: 3 })
    expect(err).toContain('3 already stored')
    expect([stored(), requests()]).toEqual([3, 0])
  })

  it('a repeated upload is sent where it is missing', async () => {
    const { again, stored } = await uploaded()
    const { summary } = await again({
      'conversations.json': [conversation('zero'), ...conversations, conversation('four')],
    })
    expect([summary, stored()]).toMatchObject([{ uploaded: 2, already_uploaded: 3 }, 5])
  })

  it('a repeated upload is known under another name of file and transcript, with other metadata and without analysis', async () => {
    const { again, cwd, stored } = await uploaded()
    renameSync(join(cwd, 'conversations.json'), join(cwd, 'moved.json'))
    const renamed = await again({}, ['upload', 'moved.json', '--no-process', '--metadata', 'a=b'])
    expect(renamed.summary).toMatchObject({ uploaded: 0, already_uploaded: 3 })
    const titled = conversations.map((each) => ({ ...each, name: `new ${each.name}` }))
    expect((await again({ 'moved.json': titled }, ['upload', 'moved.json'])).summary).toMatchObject({ uploaded: 0 })
    expect(stored()).toBe(3)
  })

  it('an upload of many with one edited transcript sends that transcript only', async () => {
    const { again, stored } = await uploaded()
    const { summary } = await again({
      'conversations.json': [conversations[0], conversation('two, edited'), conversations[2]],
    })
    expect([summary, stored()]).toMatchObject([{ uploaded: 1, already_uploaded: 2 }, 4])
  })

  it('an upload to another project sends every transcript again', async () => {
    const { again, server, stored } = await uploaded()
    const other = server.world.createProject({ name: 'Other' }).record.id
    expect((await again({}, ['upload', 'conversations.json', '--project', other])).summary).toMatchObject({
      uploaded: 3,
    })
    expect([stored(), server.world.transcripts(other).length]).toEqual([3, 3])
  })

  it('a repeated upload is sent as often as it is in the input, and no oftener', async () => {
    const { again, stored } = await uploaded()
    const twice = { 'conversations.json': [conversations[0], conversations[0], ...conversations] }
    expect((await again(twice)).summary).toMatchObject({ uploaded: 2, already_uploaded: 3 })
    expect((await again(twice)).summary).toMatchObject({ uploaded: 0, already_uploaded: 5 })
    expect(stored()).toBe(5)
  })

  it('a repeated upload is not sent where the same record is only read otherwise, and is with --again', async () => {
    const { again, stored } = await uploaded()
    const otherwise = ['upload', 'conversations.json', '--external-user-id', 'u', '--source-system', 'crm']
    expect((await again({}, otherwise)).summary).toMatchObject({ uploaded: 0, from_same_record: 0 })
    const renumbered = await again({}, ['upload', 'one.json', '--external-id', 'e'], {})
    expect(renumbered.code).toBe(3)
    const one = { 'one.json': conversations[0] }
    const sameRecord = await again(one, ['upload', 'one.json', '--external-id', 'e'])
    expect(sameRecord.lines()).toMatchObject([{ result: 'already_uploaded' }])
    expect(sameRecord.err).toContain('whose content now reads differently (--again uploads it)')
    expect((await again(one, ['upload', 'one.json', '--external-id', 'e', '--again'])).lines()).toMatchObject([
      { result: 'uploaded', transcript: { external_id: 'e' } },
    ])
    expect(stored()).toBe(4)
  })

  it('a repeated upload is sent deliberately with --again, each time', async () => {
    const { again, stored } = await uploaded()
    const argv = ['upload', 'conversations.json', '--again']
    expect((await again({}, argv)).summary).toMatchObject({ uploaded: 3, already_uploaded: 0 })
    expect((await again({}, argv)).summary).toMatchObject({ uploaded: 3, already_uploaded: 0 })
    expect((await again()).summary).toMatchObject({ uploaded: 0, already_uploaded: 3 })
    expect(stored()).toBe(9)
  })

  it('a repeated upload is not sent by a dry run, which counts stored transcripts', async () => {
    const { again, requests } = await uploaded()
    const { results, summary, err } = await again({ 'conversations.json': [...conversations, conversation('four')] }, [
      'upload',
      'conversations.json',
      '-n',
    ])
    expect(results.slice(0, -1)).toEqual([...Array(3).fill('already_uploaded'), 'planned'])
    expect(summary).toMatchObject({ schema: 'svc/upload-plan@1', planned: 1, already_uploaded: 3, invalid: 0 })
    expect(err).toMatch(/^1 transcript would be uploaded to hp-.*, 3 already stored; nothing was sent\n$/)
    expect(requests()).toBe(0)
  })

  it('an upload with another ledger sends every transcript again', async () => {
    const { again, stored, cwd } = await uploaded()
    expect((await again({}, ['upload', 'conversations.json', '--ledger', 'other'])).summary).toMatchObject({
      uploaded: 3,
    })
    rmSync(join(cwd, '.state'), { recursive: true })
    expect((await again()).summary).toMatchObject({ uploaded: 3 })
    expect(stored()).toBe(9)
  })

  it('a repeated upload is recognized even without its stamp', async () => {
    const { again, server, project, ids } = await uploaded('--no-stamp')
    expect(server.world.transcript(ids[0] ?? '')?.record.metadata).toEqual({})
    expect((await again()).summary).toMatchObject({ uploaded: 0, already_uploaded: 3 })
    expect(server.world.transcripts(project)).toHaveLength(3)
  })
})

describe('the stamp of an upload', () => {
  it('the stamp of an upload is added to the metadata, and never replaces a foreign svc', async () => {
    const { server, svc } = createShell()
    const metadataOf = async (content: string, metadata: unknown) => {
      const files = { 'one.json': { ...conversation(content), metadata } }
      const { json } = await svc(['upload', 'one.json', '--json'], { files })
      return server.world.transcript(String(json().id))?.record.metadata
    }
    const stamp = { key: expect.stringMatching(/^[0-9a-f]{32}$/), occurrence: 1, write: expect.any(String) }
    expect(await metadataOf('a', { mine: 1 })).toEqual({ mine: 1, svc: stamp })
    expect(await metadataOf('b', { svc: 'own' })).toEqual({ svc: 'own' })
    expect(await metadataOf('c', { svc: { key: '0123456789abcdef0123456789abcdef', occurrence: 7 } })).toEqual({
      svc: stamp,
    })
  })
})

it('names what counts as stored by another record whose personal data were replaced by the same', async () => {
  const { svc } = createShell()
  const call = (number: string, more = {}) => ({
    turns: [{ role: 'user', content: `Call me on ${number} please` }],
    ...more,
  })
  const files = {
    'one/a.json': call('+49 170 1234567'),
    'two/b.json': call('+49 171 7654321'),
    'three/c.json': call('+49 172 1111111', { externalId: 'c' }),
  }
  const upload = (...argv: string[]) => svc(['upload', ...argv, '--redact=all'], { files })
  const note = /note: 1 transcript counts as stored, because .* the same after redaction: two\/b\.json; give each/
  expect((await upload('one')).err).not.toContain('after redaction')
  expect((await upload('one')).err).not.toContain('after redaction')
  expect((await upload('two', '--dry-run')).err).toMatch(note)
  expect((await upload('two')).err).toMatch(note)
  expect((await upload('three', '--json')).lines().at(-1)).toMatchObject({ uploaded: 1, already_uploaded: 0 })
})

it('says that an input may be stored by a run whose ledger is lost', async () => {
  const { again, svc } = await uploaded()
  const lost = ['upload', 'conversations.json', '--ledger', 'lost']
  expect((await again({ 'conversations.json': [conversation('new'), conversation('newer')] }, lost)).err).toMatch(
    /note: .*lost has no ledger of hp-.*, which has at least 3 transcripts: .* run `svc uploads rebuild` first/,
  )
  const found = await again({ 'conversations.json': conversations }, [
    'upload',
    'conversations.json',
    '--ledger',
    'other',
  ])
  expect(found.err).toContain('which has 3 of these transcripts among its first 5:')
  expect((await svc(['upload', 'conversations.json', '--ledger', 'other'])).err).not.toContain('has no ledger')
})

it('says that a project has uploads at another base URL, until it has one at this', async () => {
  const { again, svc } = await uploaded()
  const env = { SVC_PUBLIC_BASE_URL: 'https://moved.test/public/api/v1' }
  const moved = await again({}, ['upload', 'conversations.json', '--dry-run'], env)
  expect(moved.err).toMatch(
    /note: the ledger has uploads to this project at https:\S+, and none at https:\/\/moved\.test/,
  )
  expect(moved.summary).toMatchObject({ planned: 3 })
  expect((await svc(['upload', 'conversations.json', '--dry-run'])).err).not.toContain('everything is new')
})

describe('equal content in one run', () => {
  const files = {
    'twice.jsonl': [conversation('one'), conversation('two'), conversation('one')]
      .map((each) => JSON.stringify(each))
      .join('\n'),
  }
  const stdin = files['twice.jsonl']

  it.each([
    ['a file', ['upload', 'twice.jsonl']],
    ['a stream', ['upload', '-']],
  ])('equal content in one run of %s is reported and uploaded, and skipped with --skip repeated', async (_, argv) => {
    const reported = createShell()
    const first = await reported.svc(argv, { files, stdin })
    expect(first.err).toContain('note: 1 transcript with the content of an earlier one of this run: ')
    expect(reported.server.world.transcripts(reported.project)).toHaveLength(3)
    const skipped = createShell()
    const { code, err } = await skipped.svc([...argv, '--skip', 'repeated'], { files, stdin })
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(
        /1 transcript with the content of an earlier one of this run skipped: (twice\.jsonl|-) record 3 \(as \1\)\n/,
      ),
    ])
    expect(skipped.server.world.transcripts(skipped.project)).toHaveLength(2)
  })
})
