import type { Defects } from './defect.js'
import { rules as search } from './search.rules.js'

const filter = 'filter.ts'
const test = 'terms.every((term) => foldedText(transcript).includes(term))'
const contents = 'transcript.turns.map(({ content }) => content)'
const foldsCase = 'text.toLowerCase().toUpperCase()'

export const ofSearch: Defects = {
  likely: search,
  defects: [
    { name: 'searches with regard to case', file: 'text.ts', find: foldsCase, replace: 'text' },
    {
      name: 'folds case in a way that parts ß and SS',
      file: 'text.ts',
      find: foldsCase,
      replace: 'text.toLowerCase()',
    },
    {
      name: 'finds what has any of the words',
      file: filter,
      find: 'terms.every((term) => foldedText',
      replace: '[terms].flat().some((term) => foldedText',
    },
    { name: 'takes q as one phrase', file: filter, find: '.split(/\\s+/)', replace: '.trim().split(/\\n+/)' },
    {
      name: 'takes q as a pattern',
      file: filter,
      find: 'foldedText(transcript).includes(term)',
      replace: "new RegExp(term.replace(/[()[\\]\\\\?]/g, '').replaceAll('*', '.*')).test(foldedText(transcript))",
    },
    {
      name: 'finds whole words alone',
      file: filter,
      find: 'foldedText(transcript).includes(term)',
      replace: 'foldedText(transcript).split(/\\s+/).includes(term)',
    },
    {
      name: 'searches the first turn alone',
      file: filter,
      find: contents,
      replace: 'transcript.turns.slice(0, 1).map(({ content }) => content)',
    },
    {
      name: 'searches the names too',
      file: filter,
      find: contents,
      replace: `[transcript.record.name, ...${contents}]`,
    },
    {
      name: 'reads the turns of a talk as one text',
      file: filter,
      find: ".join('\\n')",
      replace: ".join('')",
    },
    {
      name: 'wants all the words in one turn',
      file: filter,
      find: test,
      replace: 'transcript.turns.some(({ content }) => terms.every((term) => fold(content).includes(term)))',
    },
  ],
}
