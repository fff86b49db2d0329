import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type ParseOptions, parse } from '../../../packages/transcripts/src/index.js'
import { runs } from '../../helpers/long.js'

interface Message {
  id: string
  parent: string | null
  role: 'user' | 'assistant'
  text: string
}

/** The names of the fields of a message with its id and that of the message before it. */
interface Names {
  id: string
  parent: string
}

const content = ({ role, text }: Message) => ({ role, content: text })
const parts = ({ role, text }: Message) => ({ role, parts: [{ type: 'text', text }] })
const said = ({ role, text }: Message) => ({ speaker: role === 'user' ? 'customer' : 'agent', text })
const ids = ({ id, parent }: Message, names: Names) => ({ [names.id]: id, [names.parent]: parent })

type Layout = (messages: readonly Message[], names: Names) => string

const listOf =
  (bodyOf: (message: Message) => object, around: (list: unknown) => unknown): Layout =>
  (messages, names) =>
    JSON.stringify(around(messages.map((each) => ({ ...ids(each, names), ...bodyOf(each) }))))

const layouts: Record<string, Layout> = {
  'a list in an object': listOf(content, (messages) => ({ messages })),
  'a request': listOf(content, (messages) => ({ request: { model: 'm', messages } })),
  'a bare list': listOf(content, (messages) => messages),
  'messages in parts': listOf(parts, (messages) => ({ id: 'chat', messages })),
  'utterances of speakers': listOf(said, (utterances) => ({ utterances })),
  turns: listOf(content, (turns) => ({ name: 'n', turns })),
  rows: (messages, names) =>
    messages.map((each) => JSON.stringify({ ...ids(each, names), ...content(each) })).join('\n'),
  'rows of conversations': (messages, names) =>
    messages.map((each) => JSON.stringify({ conversation_id: 'c', ...ids(each, names), ...content(each) })).join('\n'),
  table: (messages, names) =>
    [
      `${names.id},${names.parent},role,content`,
      ...messages.map(({ id, parent, role, text }) => `${id},${parent ?? ''},${role},${text}`),
    ].join('\n'),
}

const read = (file: string, options?: ParseOptions) =>
  parse(file, options).transcripts.map(({ turns, losses, metadata }) => ({
    texts: turns.map((turn) => turn.content),
    losses: losses.map(({ code, what, count }) => `${code} ${count} ${what}`),
    isBranch: metadata?.branch === true,
  }))

/** A conversation in which the message at each index may follow any earlier one. */
const trees = fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 2, maxLength: 8 }).map((draws) => {
  const messages: Message[] = [{ id: 'm-0', parent: null, role: 'user', text: 'text 0' }]
  for (const draw of draws) {
    const before = messages[Math.floor(draw * messages.length)] as Message
    messages.push({
      id: `m-${messages.length}`,
      parent: before.id,
      role: before.role === 'user' ? 'assistant' : 'user',
      text: `text ${messages.length}`,
    })
  }
  return messages
})

const names = fc.constantFrom<Names>(
  { id: 'id', parent: 'parent_id' },
  { id: 'uuid', parent: 'parentUuid' },
  { id: 'message_id', parent: 'parent_message_id' },
  { id: 'id', parent: 'parent' },
  { id: 'key', parent: 'replyTo' },
  { id: 'nr', parent: 'comes_from' },
)

function pathTo(leaf: Message, messages: readonly Message[]): Message[] {
  const before = messages.find(({ id }) => id === leaf.parent)
  return before ? [...pathTo(before, messages), leaf] : [leaf]
}

it.each(Object.keys(layouts))(
  'messages that name their parents are a tree, of which one branch is read: %s',
  (name) => {
    fc.assert(
      fc.property(trees, names, (messages, fields) => {
        const file = layouts[name]?.(messages, fields) ?? ''
        const leaves = messages.filter(({ id }) => !messages.some(({ parent }) => parent === id))
        const paths = leaves.map((leaf) => pathTo(leaf, messages).map(({ text }) => text)).reverse()
        const [newest = []] = paths
        const [main, ...more] = read(file)
        expect(more).toEqual([])
        expect(main?.texts).toEqual(newest)
        const hidden = messages.length - newest.length
        const named = main?.losses.filter((loss) => loss.endsWith('message of another branch')) ?? []
        expect(named).toEqual(hidden > 0 ? [`dropped ${hidden} message of another branch`] : [])
        const all = read(file, { branches: true })
        expect(all.map(({ texts }) => texts.join()).sort()).toEqual(paths.map((path) => path.join()).sort())
        expect(all.filter(({ isBranch }) => !isBranch).map(({ texts }) => texts)).toEqual([newest])
      }),
      { numRuns: runs(20) },
    )
  },
)

it.each(Object.keys(layouts))('messages follow their parents, in any order of the file: %s', (name) => {
  const chain = Array.from({ length: 6 }, (_, at): Message => {
    return {
      id: `m-${at}`,
      parent: at === 0 ? null : `m-${at - 1}`,
      role: at % 2 === 0 ? 'user' : 'assistant',
      text: `text ${at}`,
    }
  })
  const texts = chain.map(({ text }) => text)
  fc.assert(
    fc.property(fc.shuffledSubarray(chain, { minLength: chain.length }), names, (messages, fields) => {
      const [main, ...more] = read(layouts[name]?.(messages, fields) ?? '')
      expect(more).toEqual([])
      expect(main?.texts).toEqual(texts)
      const isMoved = messages.some((message, at) => message !== chain[at])
      expect(main?.losses.some((loss) => loss.endsWith('message before its parent'))).toBe(isMoved)
    }),
    { numRuns: runs(15) },
  )
})

it('results of the calls of one message are no branches of it', () => {
  const call = (id: string, city: string) => ({ id, type: 'function', function: { name: 'weather', arguments: city } })
  const messages = [
    { id: '1', parent_id: null, role: 'user', content: 'Oslo and Rome?' },
    {
      id: '2',
      parent_id: '1',
      role: 'assistant',
      content: null,
      tool_calls: [call('c1', '"Oslo"'), call('c2', '"Rome"')],
    },
    { id: '3', parent_id: '2', role: 'tool', tool_call_id: 'c1', content: 'wet' },
    { id: '4', parent_id: '2', role: 'tool', tool_call_id: 'c2', content: 'sunny' },
    { id: '5', parent_id: '3', role: 'assistant', content: 'Wet and sunny.' },
  ]
  const [main] = read(JSON.stringify({ messages }))
  expect(main?.texts).toEqual(['Oslo and Rome?', '[tool call: weather, weather]', 'wet', 'sunny', 'Wet and sunny.'])
  expect(main?.losses).toEqual([])
})

it.each<[string, object[]]>([
  ['quotes of earlier messages', [{ id: 'a' }, { id: 'b', reply_to: 'a' }, { id: 'c' }, { id: 'd', reply_to: 'a' }]],
  ['numbers that count something else', [{ id: 1 }, { id: 2, stars: 1 }, { id: 3, stars: 1 }]],
  [
    'parents that are not of the list',
    [
      { id: 'a', parent: 't' },
      { id: 'b', parent: 't' },
      { id: 'c', parent: 't' },
    ],
  ],
])('messages are in the order of the file if they have %s', (_, facts) => {
  const messages = facts.map((each, at) => ({
    ...each,
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: `text ${at}`,
  }))
  expect(read(JSON.stringify({ messages }))[0]?.texts).toEqual(facts.map((_, at) => `text ${at}`))
})

it('the branch that a conversation shows is read, where it says which', () => {
  const messages = [
    { id: 'q', parent: null, role: 'user', content: 'Q' },
    { id: 'a', parent: 'q', role: 'assistant', content: 'shown' },
    { id: 'b', parent: 'q', role: 'assistant', content: 'not shown' },
  ]
  expect(read(JSON.stringify({ turns: messages, current_message: 'a' }), { format: 'turns' })[0]?.texts).toEqual([
    'Q',
    'shown',
  ])
})
