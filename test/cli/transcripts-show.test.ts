import { describe, expect, it } from 'vitest'
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
