import { expect } from 'chai'
import { newProject, newTranscript, onB, read, saying } from './asking-fixture.js'
import type { Rule, Trial } from './rule.js'

const source = 'GET /projects/{projectId}/transcripts'
const reading = 'ambiguity: q'

/** Which of some transcripts, each given by the contents of its turns, a query finds; by their places, oldest first. */
async function finds(
  trial: Trial,
  conversations: readonly (readonly string[])[],
  queries: Readonly<Record<string, number[]>>,
) {
  const { id } = await newProject(trial)
  const places = new Map<string, number>()
  for (const [place, contents] of conversations.entries()) {
    places.set((await newTranscript(trial, id, saying(...contents))).id, place)
  }
  for (const [q, expected] of Object.entries(queries)) {
    const { json } = await trial.ask(onB(`/projects/${id}/transcripts?q=${encodeURIComponent(q)}`))
    const found = json.data.map((record: { id: string }) => places.get(record.id))
    expect(found.sort(), `q=${q}`).to.deep.equal(expected)
    expect(json.pagination.total, `q=${q}`).to.equal(expected.length)
  }
}

const conversations = [['Where is order 7?'], ['The invoice is wrong.', 'Which order?'], ['Hello']]

/** A search, and what it finds. */
const searches: readonly [
  name: string,
  source: string,
  conversations: readonly (readonly string[])[],
  queries: Readonly<Record<string, number[]>>,
][] = [
  [
    'q finds the transcripts whose content has the word',
    source,
    conversations,
    { order: [0, 1], invoice: [1], nothing: [] },
  ],
  ['q looks at every turn, not at the first alone', source, conversations, { which: [1] }],
  [
    'q finds in a long conversation what it finds in a short one',
    source,
    [
      [`ORDER 7 ${'so '.repeat(300)}`, 'Straße'],
      ['so '.repeat(300), 'Which order?'],
    ],
    { order: [0, 1], WHICH: [1], strasse: [0], nothing: [] },
  ],
  [
    'a word of q stands in one turn, also among many',
    source,
    [
      ['we', 'well'],
      [...Array<string>(20).fill('so '.repeat(20)), 'we', 'well', '配', '送 Straße'],
    ],
    { well: [0, 1], wewell: [], 配: [1], 配送: [], strasse: [1] },
  ],
  ['q is read without regard to case', reading, conversations, { ORDER: [0, 1], hELLO: [2] }],
  [
    'q is read without regard to case beyond ASCII',
    reading,
    [['Straße'], ['ÉTÉ'], ['ΟΔΟΣ'], ['ПРИВЕТ'], ['ﬁne'], ['Ŀa ſo'], ['5 µm'], ['aÿ'], ['STRAẞE']],
    { STRASSE: [0, 8], été: [1], οδος: [2], οδοσ: [2], привет: [3], fine: [4], so: [5], ΜM: [6], Ÿ: [7] },
  ],
  [
    'q compares composed and decomposed characters as the same',
    'ambiguity: q and Unicode',
    [['cafe\u0301'], ['caf\u00e9'], ['cafe'], ['\u01f0'], ['J\u030c'], ['\ud55c\uae00'], ['A\u030a'], ['\u212b']],
    {
      'caf\u00e9': [0, 1],
      'CAFE\u0301': [0, 1],
      cafe: [2],
      'j\u030c': [3, 4],
      '\u1112\u1161\u11ab': [5],
      '\u00e5': [6, 7],
    },
  ],
  [
    'q folds case as Unicode says, in full and for every language alike',
    'ambiguity: q and Unicode',
    [['DIYARBAKIR'], ['Diyarbakır'], ['İzmir'], ['ᾳ'], ['ﬃ'], ['ΐ'], ['Ꭰ'], ['ſüß'], ['ß']],
    {
      diyarbakir: [0],
      diyarbakır: [1],
      'i\u0307zmir': [2],
      izmir: [],
      ΑΙ: [3],
      FFI: [4],
      Ϊ́: [5],
      ꭰ: [6],
      SÜSS: [7],
      ẞ: [7, 8],
      s: [7, 8],
    },
  ],
  [
    'every word of q must occur',
    reading,
    conversations,
    { 'order invoice': [1], 'order hello': [], 'order where': [0] },
  ],
  ['the words of q may stand in different turns, in any order', reading, conversations, { 'which wrong': [1] }],
  ['a word of q may be a part of a word', reading, conversations, { rder: [0, 1], nvoi: [1] }],
  ['a word of q may stand between signs', reading, conversations, { '7?': [0], 'order?': [1] }],
  [
    'q knows no wildcards, patterns or operators',
    reading,
    [['100% sure'], ['100 times'], ['a.b'], ['axb'], ['not "this"'], ['this']],
    { '*': [], '100%': [0], 'a.b': [2], 'ord*': [], '"this"': [4], a_b: [], '[': [], '(': [], '\\': [] },
  ],
  [
    'any blanks part the words of q',
    reading,
    conversations,
    { '  order \t invoice\n': [1], '\u00a0order\u3000which': [1] },
  ],
  [
    'q finds in languages without blanks',
    reading,
    [['注文はどこですか'], ['こんにちは']],
    { 注文: [0], ですか: [0], 今日: [] },
  ],
  [
    'q finds characters beyond the first plane',
    reading,
    [['so 😀 glad'], ['so 😁 glad']],
    { '😀': [0], 'glad 😁': [1] },
  ],
  ['an empty q, or one of blanks, narrows nothing', reading, conversations, { '': [0, 1, 2], '  ': [0, 1, 2] }],
  ['the same word twice in q is the word', reading, conversations, { 'order order': [0, 1] }],
  ['a transcript of empty turns is found by no word', reading, [[''], ['a']], { a: [1], '': [0, 1] }],
]

export const rules: readonly Rule[] = [
  ...searches.map(
    ([name, from, contents, queries]): Rule => ({
      name,
      source: from,
      run: (trial) => finds(trial, contents, queries),
    }),
  ),
  {
    name: 'q looks at the content of turns and at nothing else',
    source: reading,
    async run(trial) {
      const { id } = await newProject(trial)
      const word = 'needle'
      await newTranscript(trial, id, {
        name: word,
        modelName: word,
        language: word,
        sourceSystem: word,
        externalId: word,
        externalUserId: word,
        metadata: { word },
        turns: [
          {
            role: 'assistant',
            content: 'hi',
            toolCalls: [{ name: word, args: { word } }],
            toolResults: [{ name: word, result: word }],
            metadata: { word },
          },
        ],
      })
      expect(await read(trial, `/projects/${id}/transcripts?q=${word}`)).to.deep.equal([])
      expect(await read(trial, `/projects/${id}/transcripts?q=assistant`)).to.deep.equal([])
    },
  },
  {
    name: 'a plus in q is a blank, and an encoded one is a plus',
    source,
    async run(trial) {
      const { id } = await newProject(trial)
      const both = await newTranscript(trial, id, saying('one two'))
      const plus = await newTranscript(trial, id, saying('one+two'))
      const found = async (q: string) =>
        (await read(trial, `/projects/${id}/transcripts?q=${q}`)).map((record: { id: string }) => record.id).sort()
      expect(await found('one+two')).to.deep.equal([both.id, plus.id].sort())
      expect(await found('one%2Btwo')).to.deep.equal([plus.id])
    },
  },
  {
    name: 'what a search finds is in the order of the list',
    source: 'ambiguity: list order',
    async run(trial) {
      const { id } = await newProject(trial)
      const made: string[] = []
      for (const content of ['order', 'order order order', 'an order']) {
        made.unshift((await newTranscript(trial, id, saying(content))).id)
        await trial.advance(1000)
      }
      const found = await read(trial, `/projects/${id}/transcripts?q=order`)
      expect(found.map((record: { id: string }) => record.id)).to.deep.equal(made)
    },
  },
]
