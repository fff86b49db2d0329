import { rules as bytes } from './bytes.rules.js'
import type { Defects } from './defect.js'
import { rules as lengths } from './lengths.rules.js'

const bodies = 'bodies.ts'
const shape = 'shape.ts'
const readings = 'readings.ts'

export const ofLengths: Defects = {
  likely: lengths,
  defects: [
    {
      name: 'counts UTF-16 units for characters',
      file: readings,
      find: "charactersAre: 'code points',",
      replace: "charactersAre: 'utf-16 units',",
    },
    {
      name: 'counts code points where UTF-16 units were chosen',
      file: shape,
      find: "'utf-16 units': (text) => text.length",
      replace: "'utf-16 units': codePoints",
    },
    {
      name: 'takes one character too many',
      file: shape,
      find: 'value.length <= max ||',
      replace: 'value.length <= max + 1 ||',
    },
    {
      name: 'takes one character too few',
      file: shape,
      find: 'return value.length <= max || measure(value) <= max',
      replace: 'return measure(value) < max',
    },
    {
      name: 'takes an empty name',
      file: shape,
      find: '|| value.length < min) return false',
      replace: ') return false',
    },
    { name: 'takes 1001 turns', file: bodies, find: 'list(turn, 1, 1000)', replace: 'list(turn, 1, 1001)' },
    { name: 'takes 999 turns', file: bodies, find: 'list(turn, 1, 1000)', replace: 'list(turn, 1, 999)' },
    {
      name: 'takes an upload without a turn',
      file: bodies,
      find: 'list(turn, 1, 1000)',
      replace: 'list(turn, 0, 1000)',
    },
    {
      name: 'has no bound on language',
      file: bodies,
      find: 'language: text(0, 10, measure)',
      replace: 'language: string',
    },
    {
      name: 'has the bound of externalId on modelName',
      file: bodies,
      find: 'modelName: text(0, 100, measure)',
      replace: 'modelName: text(0, 500, measure)',
    },
    {
      name: 'refuses an empty sourceSystem',
      file: bodies,
      find: 'sourceSystem: text(0, 100, measure)',
      replace: 'sourceSystem: text(1, 100, measure)',
    },
  ],
}

export const ofBytes: Defects = {
  likely: bytes,
  defects: [
    {
      name: 'measures a turn in characters',
      file: bodies,
      find: 'content.length * 3 <= limit || utf8Length(content) <= limit',
      replace: 'content.length <= limit',
    },
    {
      name: 'refuses a turn of exactly 1 MB',
      file: bodies,
      find: 'utf8Length(content) <= limit',
      replace: 'utf8Length(content) < limit',
    },
    {
      name: 'measures a turn by all of its JSON',
      file: bodies,
      find: 'content.length * 3 <= limit || utf8Length(content) <= limit',
      replace: 'utf8Length(JSON.stringify(item)) <= limit',
    },
    {
      name: 'measures the first turn alone',
      file: bodies,
      find: 'of body.turns.entries()',
      replace: 'of body.turns.slice(0, 1).entries()',
    },
    {
      name: 'takes 1 MB for a million bytes',
      file: readings,
      find: 'turnBytes: 2 ** 20',
      replace: 'turnBytes: 1_000_000',
    },
    {
      name: 'takes 5 MB for five million bytes',
      file: readings,
      find: 'bodyBytes: 5 * 2 ** 20',
      replace: 'bodyBytes: 5_000_000',
    },
    {
      name: 'counts four bytes for a character beyond the first plane as six',
      file: 'text.ts',
      find: 'if ((text.codePointAt(i) ?? 0) > 0xffff) i += 1',
      replace: '',
    },
    {
      name: 'takes a body of one byte too many',
      file: 'fetch-body.ts',
      find: 'if (length <= limit) continue',
      replace: 'if (length <= limit + 1) continue',
    },
    {
      name: 'refuses a body of exactly 5 MB',
      file: 'fetch-body.ts',
      find: 'if (length <= limit) continue',
      replace: 'if (length < limit) continue',
    },
    {
      name: 'answers 400 to a turn that is too large',
      file: bodies,
      find: 'throw new Refusal(413, `/turns',
      replace: 'throw new Refusal(400, `/turns',
    },
    {
      name: 'does not measure the turns of a legacy upload',
      file: 'operations/legacy.ts',
      find: '  checkTurnBytes(body, turnBytes)\n',
      replace: '',
    },
  ],
}
