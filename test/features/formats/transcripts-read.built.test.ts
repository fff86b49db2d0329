import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { onTerminal, ownService } from '../../helpers/own-service.js'
import { createShell } from '../../helpers/run-cli.js'
import { createSession } from '../../helpers/session.js'
import { transcriptPage } from '../../helpers/transcript-page.js'

afterEach(() => vi.unstubAllEnvs())

const id = 'tr_6f1c2b7e-3f0a-4f3c-9a53-1d6a3f5b8c10'
const transcript = {
  id,
  name: 'Refund',
  processing_status: 'completed',
  created_at: '2026-01-31T10:00:00Z',
  turns: [
    { role: 'user', content: `Where is my refund?\n${'A long line. '.repeat(20)}` },
    { role: 'assistant', content: 'On its way.\u001b[2J' },
    { role: 'user', content: 'You said that before.' },
  ],
  annotations: {
    outcome: 'poor',
    signals: { loop: { evidence: 'said that before', turn: 3 }, tone: { evidence: 'curt', turn: null } },
    keywords: ['refund', 'delay'],
  },
}
const fetch = async () => Response.json({ data: transcript })

describe('svc transcripts read', () => {
  it('prints the whole text, each annotation below its turn, and the others first', async () => {
    const { svc } = createShell({ ...createSession(), fetch })
    const { code, out } = await svc(['transcripts', 'read', id])
    expect(code).toBe(0)
    expect(out).toBe(
      [
        'Refund',
        `${id} · completed · 2026-01-31T10:00:00Z`,
        '▸ outcome poor',
        '▸ signals.tone curt',
        '▸ keywords refund, delay',
        '',
        '1 user',
        '  Where is my refund?',
        `  ${'A long line. '.repeat(20)}`,
        '',
        '2 assistant',
        '  On its way.\\x1b[2J',
        '',
        '3 user',
        '  You said that before.',
        '▸ signals.loop said that before',
        '',
      ].join('\n'),
    )
  })

  /** A folder for temporary files, which svc finds by TMPDIR. */
  const pagesIn = (cwd: string) => readdirSync(cwd).filter((name) => name.startsWith('svc-transcript-'))

  it('opens a private page without a script in the browser of BROWSER with --web, and removes it', async () => {
    const { svc, cwd, clock } = createShell({ ...createSession(), fetch })
    vi.stubEnv('TMPDIR', cwd)
    const browser = join(cwd, 'browser')
    writeFileSync(browser, '#!/bin/sh\ncp -p "$1" opened.html\n', { mode: 0o755 })
    const { code, out, err } = await clock.until(
      svc(['transcripts', 'read', id, '--web'], { env: { BROWSER: browser } }),
    )
    expect([code, out, err]).toEqual([
      0,
      '',
      expect.stringMatching(/^opened .*svc-transcript-.*\.html; it is removed in 10 s\n$/),
    ])
    expect(pagesIn(cwd)).toEqual([])
    const page = readFileSync(join(cwd, 'opened.html'), 'utf8')
    expect(statSync(join(cwd, 'opened.html')).mode & 0o777).toBe(0o600)
    expect(page).toContain('<div class="content">On its way.\\x1b[2J</div>')
    expect(page).toMatch(/You said that before\.<\/div>\n<\/section>\n<div class="finding">.*signals\.loop/)
    expect(page).not.toContain('<script')
  })

  it('keeps the page while the program of the browser runs, and for ten seconds at least', async () => {
    const { svc, cwd, clock } = createShell({ ...createSession(), fetch })
    vi.stubEnv('TMPDIR', cwd)
    const browser = join(cwd, 'browser')
    writeFileSync(browser, '#!/bin/sh\ntouch started; until [ -e close ]; do sleep 0.05; done\n', { mode: 0o755 })
    const showing = svc(['transcripts', 'read', id, '--web'], { env: { BROWSER: browser } })
    await vi.waitUntil(() => existsSync(join(cwd, 'started')), 5_000)
    expect(pagesIn(cwd)).toHaveLength(1)
    await clock.advance(10_000)
    expect(pagesIn(cwd)).toHaveLength(1)
    writeFileSync(join(cwd, 'close'), '')
    expect([(await showing).code, pagesIn(cwd)]).toEqual([0, []])
  })

  it.each(['while the page is written', 'while the browser runs'])('removes the page at a signal %s', async (when) => {
    const stop = new AbortController()
    const { svc, cwd } = createShell({ ...createSession(), fetch })
    vi.stubEnv('TMPDIR', cwd)
    const io = {
      async writeFile(path: string) {
        writeFileSync(path, '')
        if (when === 'while the page is written') stop.abort('SIGINT')
        await setImmediate()
      },
      spawn: (program: string, args: string[]) =>
        spawn(program, args).once('spawn', () => {
          expect(pagesIn(cwd)).toHaveLength(1)
          stop.abort('SIGINT')
        }),
    }
    const { code } = await svc(['transcripts', 'read', id, '--web'], {
      env: { BROWSER: 'true' },
      signal: stop.signal,
      io,
    })
    expect([code, pagesIn(cwd)]).toEqual([130, []])
  })

  it('cannot do anything in the browser, whatever the transcript holds', async () => {
    const hostile = '</div><script>alert(1)</script><img src=x onerror=alert(1)>"'
    const turns = [{ role: hostile, content: hostile }]
    const page = await transcriptPage({ ...transcript, name: hostile, turns, annotations: { [hostile]: hostile } })
    expect(page).toContain('&#60;script')
    expect(page).not.toMatch(/<script|<img/)
  })

  it.each([
    ['no-such-browser', 'Cannot start the browser no-such-browser (ENOENT).'],
    ['false', 'The browser false ended with 1.'],
  ])('explains that the browser %s shows no page, and removes it', async (BROWSER, message) => {
    const { svc, cwd } = createShell({ ...createSession(), fetch })
    vi.stubEnv('TMPDIR', cwd)
    const { code, err } = await svc(['transcripts', 'read', id, '--web'], { env: { BROWSER } })
    expect([code, err]).toEqual([3, expect.stringContaining(`svc: ${message}\nhint: set BROWSER to another program`)])
    expect(pagesIn(cwd)).toEqual([])
  })

  it('refuses --web with --json', async () => {
    const { svc } = createShell({ ...createSession(), fetch })
    expect((await svc(['transcripts', 'read', id, '--web', '--json'])).code).toBe(2)
  })

  it('svc transcripts read writes a page that an upload skips', async () => {
    const files = { 'a.json': { turns: transcript.turns }, 'page.json': await transcriptPage(transcript) }
    const { code, err } = await createShell().svc(['upload', '.', '-n'], { files })
    expect([code, err]).toEqual([0, expect.stringContaining('note: 1 file of svc skipped')])
  })

  it('svc transcripts read goes through the pager on a terminal, and straight to it where the pager is missing', async () => {
    const { env } = await ownService((_, response) => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ data: transcript }))
    })
    const through = async (PAGER: string) =>
      (await onTerminal(['transcripts', 'read', id], { ...env, PAGER }).ended).sent
    expect(await through('sed s/^/paged:/')).toContain('paged:  On its way.\\x1b[2J')
    for (const pager of ['no-such-pager', 'cat', '']) {
      const sent = await through(pager)
      expect(sent).toContain('\r\n  On its way.\\x1b[2J')
      expect(sent).toContain('\u001b[36m1 user')
    }
  })
})
