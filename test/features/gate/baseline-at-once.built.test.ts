import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { claim } from '@svc/bulk/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ownService, runProcess } from '../../helpers/own-service.js'
import { conversation, scriptedShell } from '../../helpers/scripted-annotator.js'

const versions = { annotator_version: '1', taxonomy_version: '1' }
const annotation = {
  summary: { title: 't', keywords: [], summary: 's', quality_concerns: '', user_intent: '', domain: '' },
  ...{ outcome: 'poor', outcome_notes: '', signals: {}, annotator: 'structural', ...versions },
  usage: { tokens_in: 1, tokens_out: 1, latency_ms: 1 },
}
const namesOf = (processes: number) => Array.from({ length: processes }, (_, n) => `${n}.json`)

let service: Awaited<ReturnType<typeof ownService>>
/** Answers that wait until every process has asked: each has read the baseline by then. */
let waiting: (() => void)[] = []
let processes = 0
beforeAll(async () => {
  service = await ownService((request, response) => {
    const isList = request.url?.endsWith('/annotators')
    response.setHeader('content-type', 'application/json')
    const body = isList ? { annotators: [{ id: 'structural', description: '', ...versions }] } : annotation
    request.resume().on('end', () => {
      const answer = () => response.end(JSON.stringify(body))
      if (isList) answer()
      else waiting.push(answer)
      if (waiting.length === processes) for (const each of waiting.splice(0)) each()
    })
  })
})
afterAll(async () => {
  await service.close()
  rmSync(service.folder, { recursive: true })
})

/** A folder with a transcript for each process, and what the processes left there. */
function workplace(name: string, length: number) {
  waiting = []
  processes = length
  const names = namesOf(length)
  const cwd = join(service.folder, name)
  mkdirSync(cwd)
  for (const each of names) writeFileSync(join(cwd, each), JSON.stringify(conversation(each)))
  const update = (path: string) => {
    const flags = ['--annotator', 'structural', '--no-cache', '--baseline', 'b/baseline.json', '--update-baseline']
    return runProcess(['check', path, ...flags, '--reason', `of ${path}`], service.env, cwd)
  }
  const stored = () =>
    (
      JSON.parse(readFileSync(join(cwd, 'b/baseline.json'), 'utf8')).transcripts as { path: string; findings: [] }[]
    ).map(({ path, findings }) => ({ path, findings }))
  return { cwd, names, update, stored }
}

const storedOf = (names: string[]) =>
  names.map((each) => ({
    path: `../${each}`,
    findings: [expect.objectContaining({ rule: 'outcome', reason: `of ${each}` })],
  }))

describe('a baseline that several processes update at once', () => {
  it('keeps what each of them accepts, and no lock', async () => {
    const { cwd, names, update, stored } = workplace('at-once', 4)
    const ended = await Promise.all(names.map(update))
    expect(ended.map(({ code }) => code)).toEqual(names.map(() => 0))
    expect(stored()).toEqual(storedOf(names))
    expect(readdirSync(join(cwd, 'b'))).toEqual(['baseline.json'])
  }, 60_000)

  it('is updated although a killed process left its lock', async () => {
    const { cwd, names, update, stored } = workplace('killed', 2)
    mkdirSync(join(cwd, 'b'))
    await leaveLock(join(cwd, 'b'), '.baseline.json')
    const ended = await Promise.all(names.map(update))
    expect(ended.map(({ code }) => code)).toEqual(names.map(() => 0))
    expect(stored()).toEqual(storedOf(names))
    expect(readdirSync(join(cwd, 'b'))).toEqual(['baseline.json'])
  }, 60_000)

  it('is not updated while a process that is not seen holds it, and accepts nothing', async () => {
    const shell = scriptedShell()
    const lock = async () => {
      throw Object.assign(new Error('pid 1 on gone'), { code: 'EBUSY', path: '/w/.baseline.json.0.lock' })
    }
    const update = ['--baseline', 'baseline.json', '--update-baseline']
    const { code, err } = await shell.check(['poor'], update, { io: { lock } })
    expect([code, readdirSync(shell.cwd).includes('baseline.json')]).toEqual([100, false])
    expect(err).toContain('baseline.json: another process writes the baseline: pid 1 on gone.')
    expect(err).toContain('remove /w/.baseline.json.0.lock')
  })
})

/** Leaves the lock of a process of this machine that has ended. */
async function leaveLock(folder: string, ledger: string): Promise<void> {
  const held = await claim(folder, ledger, { ledger, at: new Date(0).toISOString() })
  const names = readdirSync(folder)
  const texts = names.map((name) => readFileSync(join(folder, name), 'utf8'))
  if (!('release' in held)) throw new Error('The folder is locked.')
  held.release()
  const { pid } = spawnSync(process.execPath, ['--version'])
  for (const [at, name] of names.entries()) {
    const text = texts[at] ?? ''
    writeFileSync(join(folder, name), text && JSON.stringify({ ...JSON.parse(text), pid }))
  }
}
