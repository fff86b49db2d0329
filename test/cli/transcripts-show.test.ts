import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { transcriptPage } from '../../packages/cli/src/commands/transcripts/show.js'
import { createShell } from '../run-cli.js'
import { createSession } from '../session.js'
import { onTerminal, ownService } from './own-service.js'

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

describe('svc transcripts show', () => {
  it('prints the whole text, each annotation below its turn, and the others first', async () => {
    const { svc } = createShell({ ...createSession(), fetch })
    const { code, out } = await svc(['transcripts', 'show', id])
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

  it('opens a private page without a script in the browser of BROWSER with --web', async () => {
    const { svc, cwd } = createShell({ ...createSession(), fetch })
    const browser = join(cwd, 'browser')
    writeFileSync(browser, '#!/bin/sh\ncp -p "$1" opened.html.part && mv opened.html.part opened.html\n', {
      mode: 0o755,
    })
    const { code, out, err } = await svc(['transcripts', 'show', id, '--web'], { env: { BROWSER: browser } })
    expect([code, out, err]).toEqual([0, '', expect.stringMatching(/^opened .*svc-transcript-.*\.html\n$/)])
    await vi.waitUntil(() => existsSync(join(cwd, 'opened.html')), 5_000)
    const page = readFileSync(join(cwd, 'opened.html'), 'utf8')
    rmSync(err.slice('opened '.length, -1))
    expect(statSync(join(cwd, 'opened.html')).mode & 0o777).toBe(0o600)
    expect(page).toContain('<div class="content">On its way.\\x1b[2J</div>')
    expect(page).toMatch(/You said that before\.<\/div>\n<\/section>\n<div class="finding">.*signals\.loop/)
    expect(page).not.toContain('<script')
  })

  it('cannot do anything in the browser, whatever the transcript holds', () => {
    const hostile = '</div><script>alert(1)</script><img src=x onerror=alert(1)>"'
    const turns = [{ role: hostile, content: hostile }] as never
    const page = [
      ...transcriptPage({ ...transcript, name: hostile, turns, annotations: { [hostile]: hostile } } as never),
    ]
    expect(page.join('')).not.toMatch(/<script|<img/)
  })

  it('names the page if the browser cannot be started, and refuses --web with --json', async () => {
    const { svc } = createShell({ ...createSession(), fetch })
    const missing = await svc(['transcripts', 'show', id, '--web'], { env: { BROWSER: 'no-such-browser' } })
    expect([missing.code, missing.err]).toEqual([3, expect.stringMatching(/hint: open .*\.html, or set BROWSER/)])
    rmSync(/open (.*\.html)/.exec(missing.err)?.[1] ?? '')
    expect((await svc(['transcripts', 'show', id, '--web', '--json'])).code).toBe(2)
  })

  it('svc transcripts show goes through the pager on a terminal, and straight to it where the pager is missing', async () => {
    const { env } = await ownService((_, response) => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ data: transcript }))
    })
    const through = async (PAGER: string) =>
      (await onTerminal(['transcripts', 'show', id], { ...env, PAGER }).ended).sent
    expect(await through('sed s/^/paged:/')).toContain('paged:  On its way.\\x1b[2J')
    for (const pager of ['no-such-pager', 'cat', '']) {
      const sent = await through(pager)
      expect(sent).toContain('\r\n  On its way.\\x1b[2J')
      expect(sent).toContain('\u001b[36m1 user')
    }
  })
})
