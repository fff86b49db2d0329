import type { Defects } from './defect.js'
import { rules as search } from './search.rules.js'

const filter = 'filter.ts'
const transcript = 'transcript-in-memory.ts'
const looks = 'holds(term: string): boolean {'
/** Looks in another way than this one, whatever was noted at the upload. */
const instead = (test: string, texts = 'this.turns.map(({ content }) => content)') =>
  `${looks} return together(${texts}.map(fold)).some((text) => ${test})`
const foldsCase = '(beyondLatin1.test(text) ? text.toLowerCase() : text).toUpperCase()'

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
      find: 'for (const term of terms) left = left.filter((item) => item.holds(term))',
      replace: 'if (terms[0]) left = left.filter((item) => terms.some((term) => item.holds(term)))',
    },
    { name: 'takes q as one phrase', file: filter, find: '.split(/\\s+/)', replace: '.trim().split(/\\n+/)' },
    {
      name: 'takes q as a pattern',
      file: transcript,
      find: looks,
      replace: instead("new RegExp(term.replace(/[()[\\]\\\\?]/g, '').replaceAll('*', '.*')).test(text)"),
    },
    {
      name: 'finds whole words alone',
      file: transcript,
      find: looks,
      replace: instead('text.split(/\\s+/).includes(term)'),
    },
    {
      name: 'searches the first turn alone',
      file: transcript,
      find: looks,
      replace: instead('text.includes(term)', 'this.turns.slice(0, 1).map(({ content }) => content)'),
    },
    {
      name: 'searches the names too',
      file: transcript,
      find: looks,
      replace: instead('text.includes(term)', '[...this.turns.map(({ content }) => content), this.record.name]'),
    },
    {
      name: 'notes the words of an upload with regard to case',
      file: 'sketch.ts',
      find: '(unit | 0x20)',
      replace: 'unit',
    },
    {
      name: 'notes the words of the first turn alone',
      file: 'sketch.ts',
      find: 'for (const { content } of turns) mark(',
      replace: 'for (const { content } of turns.slice(0, 1)) mark(',
    },
    {
      name: 'takes words for absent that are written in another case',
      file: transcript,
      find: 'this.#folded = together(',
      replace: 'return false; this.#folded = together(',
    },
    {
      name: 'reads the turns of a talk as one text',
      file: 'text.ts',
      find: "return [latin1.join('\\n'), rest.join('\\n')]",
      replace: "return [latin1.join(''), rest.join('')]",
    },
    {
      name: 'wants all the words in one turn',
      file: filter,
      find: 'for (const term of terms) left = left.filter((item) => item.holds(term))',
      replace:
        'left = left.filter(({ turns }) => turns.some((turn) => terms.every((term) => fold(turn.content).includes(term))))',
    },
  ],
}
