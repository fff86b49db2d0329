import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { zipOf } from '../../../packages/transcripts/test/fixtures/archives.js'
import { createShell } from '../../helpers/run-cli.js'
import { createSession } from '../../helpers/session.js'

const vtt =
  'WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ada>How can I help?</v>\n\n00:03.000 --> 00:04.500\n<v Bob>Where is it?</v>\n'
const srt = '1\n00:00:01,000 --> 00:00:02,000\nAgent: Hello\n\n2\n00:00:03,000 --> 00:00:04,000\nCustomer: Hi\n'
const roles = ['--map', 'role:Ada=human_agent', '--map', 'role:*=user']

describe('svc convert', () => {
  it('finds WebVTT and SRT in folders and archives, and names the transcripts after the files', async () => {
    const { svc, cwd } = createShell()
    mkdirSync(join(cwd, 'calls'))
    writeFileSync(join(cwd, 'calls/c.srt.gz'), gzipSync(srt))
    writeFileSync(join(cwd, 'calls/d.zip'), zipOf({ name: 'x/e.VTT', content: vtt }))
    const { lines, err } = await svc(['convert', 'calls'], { files: { 'calls/a.vtt': vtt, 'calls/b.srt': srt } })
    const found = lines().map(({ name, sourceSystem }) => `${sourceSystem} ${name}`)
    expect(found).toEqual(['webvtt a', 'srt b', 'srt c', 'webvtt e'])
    expect(err).toContain('invented role of a speaker (user) (4 times): the file does not say it')
  })

  it('gives the speakers of a call the roles of --map, and loses nothing then', async () => {
    const { svc } = createShell()
    const { code, json } = await svc(['convert', 'a.vtt', '--strict', ...roles], { files: { 'a.vtt': vtt } })
    expect(code).toBe(0)
    expect(json().turns).toEqual([
      { role: 'human_agent', content: 'How can I help?', metadata: { speaker: 'Ada', start: 1, end: 2 } },
      { role: 'user', content: 'Where is it?', metadata: { speaker: 'Bob', start: 3, end: 4.5 } },
    ])
  })

  it('refuses with --strict a call whose file does not say who answers', async () => {
    const { svc } = createShell()
    const { code, out, err } = await svc(['convert', 'a.vtt', '--strict'], { files: { 'a.vtt': vtt } })
    expect([code, out]).toEqual([3, ''])
    expect(err).toContain('choose it, as in --map "role:Ada=human_agent"')
  })

  it('refuses a damaged cue with its line', async () => {
    const { svc } = createShell()
    const { code, err } = await svc(['convert', 'a.vtt'], {
      files: { 'a.vtt': vtt.replace('00:03.000 -->', '00:03.000 ->') },
    })
    expect(code).toBe(3)
    expect(err).toContain('a.vtt:6:1 expected the times of a cue')
  })

  it('refuses any other text with what it accepts', async () => {
    const { svc } = createShell()
    const { code, err } = await svc(['convert', 'a.txt'], { files: { 'a.txt': 'Dear Ada,\nwhere is it?\n' } })
    expect(code).toBe(3)
    expect(err).toContain('a.txt:1:1 expected a transcript, found Dear. Give one JSON document')
    expect(err).toContain('or a text of a known format')
  })

  it('prints the format of subtitles with --detect', async () => {
    const { svc } = createShell()
    const { out } = await svc(['convert', 'a.vtt', 'b.srt', '--detect'], { files: { 'a.vtt': vtt, 'b.srt': srt } })
    expect(out).toMatch(/a\.vtt.*webvtt/)
    expect(out).toMatch(/b\.srt.*srt/)
  })
})

it('svc upload stores a call as it was read', async () => {
  const session = createSession()
  const { svc } = createShell(session)
  const { json } = await svc(['upload', 'a.vtt', '--json', ...roles], { files: { 'a.vtt': vtt } })
  const { turns } = await session.svc.transcripts.get(String(json().id))
  expect(turns).toMatchObject([
    { role: 'human_agent', metadata: { speaker: 'Ada', start: 1 } },
    { content: 'Where is it?' },
  ])
})
