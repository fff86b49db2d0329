import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bin, ownService, runProcess } from '../../helpers/own-service.js'
import { conversation } from '../../helpers/scripted-annotator.js'

const versions = { annotator_version: '1', taxonomy_version: '1' }
const annotation = {
  summary: { title: 't', keywords: [], summary: 's', quality_concerns: '', user_intent: '', domain: '' },
  ...{ outcome: 'strong', outcome_notes: 'x'.repeat(20_000), signals: {}, annotator: 'structural', ...versions },
  usage: { tokens_in: 1, tokens_out: 1, latency_ms: 1 },
}

const transcripts = 80

let service: Awaited<ReturnType<typeof ownService>>
let answered = 0
let onAnswer: () => unknown = () => {}
beforeAll(async () => {
  service = await ownService((request, response) => {
    const isList = request.url?.endsWith('/annotators')
    response.setHeader('content-type', 'application/json')
    const body = isList ? { annotators: [{ id: 'structural', description: '', ...versions }] } : annotation
    request.resume().on('end', () => response.end(JSON.stringify(body)))
    if (isList) return
    answered++
    response.on('finish', () => onAnswer())
  })
  mkdirSync(join(service.folder, 'conversations'))
  for (let at = 0; at < transcripts; at++)
    writeFileSync(join(service.folder, 'conversations', `${at}.json`), JSON.stringify(conversation(`${at}`)))
})
afterAll(async () => {
  await service.close()
  rmSync(service.folder, { recursive: true })
})

/** Checks the transcripts in a process of its own, and gives its exit code with how many were asked about meanwhile. */
async function check(cache: string, ...flags: string[]) {
  const before = answered
  const argv = ['check', 'conversations', '--annotator', 'structural', '--cache', cache, ...flags]
  const { code, err } = await runProcess(argv, service.env, service.folder)
  return { code, err, asked: answered - before }
}

describe('a cache that several processes use', () => {
  it('a cache that several processes use has all that each of them put into it at once', async () => {
    const ended = await Promise.all([1, 2, 3].map(() => check('shared', '-j', '8')))
    expect(ended).toMatchObject(ended.map(() => ({ code: 0, err: '' })))
    expect(await check('shared')).toEqual({ code: 0, err: '', asked: 0 })
  })

  it('loses nothing to one that removes files meanwhile, and none of them fails', async () => {
    const ended = await Promise.all([check('small', '--cache-size', '100kB'), check('small', '-j', '8')])
    expect(ended).toMatchObject(ended.map(() => ({ code: 0, err: '' })))
  })

  it('a cache that several processes use has the answers from before a process was killed', async () => {
    const start = answered
    const argv = ['check', 'conversations', '--annotator', 'structural', '--cache', 'killed', '-j', '1']
    const child = spawn(process.execPath, [bin, ...argv], { cwd: service.folder, env: service.env, stdio: 'ignore' })
    onAnswer = () => answered - start >= 30 && child.kill('SIGKILL')
    await once(child, 'close')
    onAnswer = () => {}
    const paid = answered - start
    const { code, asked } = await check('killed')
    expect([code, paid < transcripts, asked <= transcripts - paid + 1]).toEqual([0, true, true])
  })
})
