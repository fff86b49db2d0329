import { describeLosses, parse } from '@svc/transcripts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

type Line = Record<string, unknown>

/** A session in which the assistant works on "Start" while the lines in between come. */
function session(...between: Line[]): string {
  const stamped = [
    { type: 'user', uuid: 'first', message: { role: 'user', content: 'Start' } },
    ...between,
    assistant('Done.', 'last'),
  ].map((line, index) => ({ timestamp: `2026-01-01T10:00:${String(index).padStart(2, '0')}.000Z`, ...line }))
  return stamped.map((line) => JSON.stringify({ sessionId: 's', isSidechain: false, cwd: '/r', ...line })).join('\n')
}

const assistant = (text: string, uuid: string): Line => ({
  type: 'assistant',
  uuid,
  message: { id: `of-${uuid}`, role: 'assistant', model: 'claude-x', content: [{ type: 'text', text }] },
})
const user = (content: string, uuid = `user ${content}`.replaceAll(/\s/g, '-')): Line => ({
  type: 'user',
  uuid,
  message: { role: 'user', content },
})
const queue = (operation: string, content?: string, more: Line = {}): Line => ({
  type: 'queue-operation',
  operation,
  ...(content !== undefined && { content }),
  ...more,
})
const attachment = (prompt: unknown, uuid = 'attached'): Line => ({
  type: 'attachment',
  uuid,
  attachment: { type: 'queued_command', prompt, commandMode: 'prompt' },
})
const absorbed = { reason: 'absorbed_mid_turn' }

function read(...between: Line[]) {
  const [transcript] = parse(session(...between)).transcripts
  return {
    turns: transcript?.turns.map(({ role, content }) => `${role}: ${content}`).slice(1, -1),
    losses: describeLosses(transcript?.losses ?? []),
  }
}

describe('a prompt that was queued in a Claude Code session', () => {
  it.each<[string, Line[], string[], string]>([
    [
      'is a turn where only its removal says that the running turn was given it',
      [queue('enqueue', 'Also b'), assistant('Working.', 'a1'), queue('remove', 'Also b', absorbed)],
      ['assistant: Working.', 'user: Also b'],
      '',
    ],
    [
      'is a turn where the removal has no reason, as older versions write it',
      [queue('enqueue', 'Also b'), queue('remove', 'Also b')],
      ['user: Also b'],
      '',
    ],
    [
      'is the oldest one where the removal has no text, as still older versions write it',
      [queue('enqueue', 'First'), queue('enqueue', 'Second'), queue('remove'), queue('remove')],
      ['user: First', 'user: Second'],
      '',
    ],
    [
      'is a turn once where an attachment follows the removal',
      [queue('enqueue', 'Also b'), queue('remove', 'Also b', absorbed), attachment('Also b')],
      ['user: Also b'],
      '',
    ],
    [
      'is a turn once where the removal follows the attachment',
      [queue('enqueue', 'Also b'), attachment('Also b'), queue('remove', 'Also b', absorbed)],
      ['user: Also b'],
      '',
    ],
    [
      'is a turn once where the removal that follows the attachment has no text',
      [queue('enqueue', 'Also b'), queue('enqueue', 'Then c'), attachment('Also b'), queue('remove'), queue('dequeue')],
      ['user: Also b'],
      'dropped 1 queued message: it was never sent',
    ],
    [
      'is a turn once where a user line follows the removal at once',
      [queue('enqueue', 'Also b'), queue('remove', 'Also b'), user('Also b')],
      ['user: Also b'],
      '',
    ],
    [
      'is two turns where the user types the same words again later',
      [queue('enqueue', 'Go on'), queue('remove', 'Go on'), assistant('Working.', 'a1'), user('Go on')],
      ['user: Go on', 'assistant: Working.', 'user: Go on'],
      '',
    ],
    [
      'is two turns where it was queued twice',
      [queue('enqueue', 'Go on'), queue('remove', 'Go on'), queue('enqueue', 'Go on'), queue('remove', 'Go on')],
      ['user: Go on', 'user: Go on'],
      '',
    ],
    [
      'is a turn of its own where it waited for the end of the turn',
      [queue('enqueue', 'Then c'), queue('dequeue'), user('Then c')],
      ['user: Then c'],
      '',
    ],
    [
      'is not counted as lost where its turn has other words, as a command has',
      [
        queue('enqueue', '/review now'),
        queue('dequeue'),
        user('<command-name>/review</command-name>\n<command-args>now</command-args>'),
      ],
      ['user: /review now'],
      '',
    ],
    [
      'is a loss where it went back into the input',
      [queue('enqueue', 'Gone'), queue('popAll', 'Gone')],
      [],
      'dropped 1 queued message: it was never sent',
    ],
    [
      'is a loss where the session ended before it was sent',
      [queue('enqueue', 'Gone')],
      [],
      'dropped 1 queued message: it was never sent',
    ],
    [
      'is a loss where it was removed for another reason',
      [queue('enqueue', 'Gone'), queue('remove', 'Gone', { reason: 'cancelled' })],
      [],
      'dropped 1 queued message: it was never sent',
    ],
    [
      'is a system turn where the program queued it',
      [queue('enqueue', '<task-notification>x</task-notification>'), queue('remove', undefined, absorbed)],
      ['system: x'],
      '',
    ],
  ])('%s', (_, between, turns, losses) => {
    expect(read(...between)).toEqual({ turns, losses })
  })

  it('says where in the file it stands', () => {
    const [transcript] = parse(session(queue('enqueue', 'Also b'), queue('remove', 'Also b'))).transcripts
    expect(transcript?.turns[1]).toMatchObject({
      createdAt: '2026-01-01T10:00:02.000Z',
      place: { record: 3, pointer: '/content' },
    })
  })

  it('a prompt that was queued in a Claude Code session is read once in a resumed session that copies its lines', () => {
    const copy = { timestamp: '2026-01-01T10:00:09.000Z' }
    const lines = [queue('enqueue', 'Also b', copy), queue('remove', 'Also b', { ...absorbed, ...copy })]
    expect(read(...lines, ...lines).turns).toEqual(['user: Also b'])
  })

  it('a prompt that was queued in a Claude Code session is a turn or a counted loss, whatever the order of its lines', () => {
    const operations = fc.constantFrom('remove', 'dequeue', 'popAll', 'attachment', 'stay')
    fc.assert(
      fc.property(fc.array(operations, { minLength: 1, maxLength: 6 }), fc.boolean(), (ways, isNamed) => {
        const prompts = ways.map((way, index) => ({ way, text: `prompt ${index}` }))
        const leaving = prompts.flatMap(({ way, text }) => {
          const named = isNamed ? text : undefined
          if (way === 'remove') return [queue('remove', named)]
          if (way === 'dequeue') return [queue('dequeue', named), user(text)]
          if (way === 'popAll') return [queue('popAll', named)]
          if (way === 'attachment') return [attachment(text, `at ${text}`), queue('remove', named, absorbed)]
          return []
        })
        const [transcript] = parse(
          session(...prompts.map(({ text }) => queue('enqueue', text)), ...leaving),
        ).transcripts
        const said = transcript?.turns
          .filter(({ content }) => content.startsWith('prompt'))
          .map(({ content }) => content)
        const lost = transcript?.losses.find(({ what }) => what === 'queued message')?.count ?? 0
        expect(new Set(said).size).toBe(said?.length)
        expect((said?.length ?? 0) + lost).toBe(prompts.length)
      }),
    )
  })
})
