import { parse } from '@svc/transcripts'
import fc from 'fast-check'
import { expect, it } from 'vitest'

type Block = { type: 'text'; text: string } | { type: 'tool_use'; id: string; name: string; input: object }

/** One line of a session; each has its own id and second. */
interface Line {
  type: 'user' | 'assistant'
  message: { role: string; id?: string; content: string | readonly Block[] }
}

const message = fc.record({
  question: fc.stringMatching(/^[a-z ]{1,9}$/),
  blocks: fc.array(fc.record({ words: fc.stringMatching(/^[a-z]{1,9}$/), calls: fc.boolean() }), {
    minLength: 1,
    maxLength: 5,
  }),
})

const grow = fc.constantFrom<'whole' | 'lines' | 'growing'>('whole', 'lines', 'growing')

/** The content of each line of an answer: all blocks, one block, or all blocks so far, the last of which may be cut. */
function contentsOf(blocks: readonly Block[], as: 'whole' | 'lines' | 'growing'): (readonly Block[])[] {
  if (as === 'whole') return [blocks]
  if (as === 'lines') return blocks.map((block) => [block])
  return blocks.flatMap((block, index) => {
    const before = blocks.slice(0, index)
    const cut: Block =
      block.type === 'text'
        ? { ...block, text: block.text.slice(0, Math.ceil(block.text.length / 2)) }
        : { ...block, input: {} }
    return [[...before, cut], blocks.slice(0, index + 1)]
  })
}

function sessionOf(messages: readonly { question: string; lines: (readonly Block[])[] }[], copiedAfter = -1): string {
  const lines: Line[] = messages.flatMap(({ question, lines: contents }, at) => [
    { type: 'user', message: { role: 'user', content: question } },
    ...contents.map(
      (content): Line => ({ type: 'assistant', message: { id: `msg_${at}`, role: 'assistant', content } }),
    ),
  ])
  const written = (line: Line, at: number, copy: string) => ({
    ...line,
    sessionId: 's',
    isSidechain: false,
    uuid: `${copy}${at}`,
    parentUuid: at === 0 ? null : `${copy}${at - 1}`,
    timestamp: new Date(Date.UTC(2026, 0, 1, 0, 0, at)).toISOString(),
  })
  const all = lines.map((line, at) => written(line, at, copiedAfter >= at ? 'a' : copiedAfter < 0 ? 'a' : 'b'))
  const copy = lines.slice(0, copiedAfter + 1).map((line, at) => written(line, at, 'b'))
  all.splice(copiedAfter + 1, 0, ...copy)
  return all.map((line) => JSON.stringify(line)).join('\n')
}

const turnsIn = (text: string) =>
  parse(text).transcripts.flatMap(({ turns }) =>
    turns.map(({ role, content, toolCalls }) => ({ role, content, toolCalls })),
  )

it('a message that grows over its lines, and a history that is written again, are read as if written once', () => {
  fc.assert(
    fc.property(fc.array(message, { minLength: 1, maxLength: 4 }), grow, fc.nat(20), (messages, as, copied) => {
      const answers = messages.map(({ question, blocks }, at) => ({
        question: `${at} ${question}`,
        blocks: blocks.map(({ words, calls }, index): Block => {
          const id = `${at}.${index}`
          return calls
            ? { type: 'tool_use', id, name: 'look', input: { words } }
            : { type: 'text', text: `${id}: ${words}` }
        }),
      }))
      const once = sessionOf(answers.map(({ question, blocks }) => ({ question, lines: [blocks] })))
      const grown = answers.map(({ question, blocks }) => ({ question, lines: contentsOf(blocks, as) }))
      const length = grown.reduce((sum, { lines }) => sum + 1 + lines.length, 0)
      expect(turnsIn(sessionOf(grown))).toEqual(turnsIn(once))
      expect(turnsIn(sessionOf(grown, copied % length))).toEqual(turnsIn(once))
    }),
  )
})
