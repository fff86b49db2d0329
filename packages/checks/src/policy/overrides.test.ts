import { posix, win32 } from 'node:path'
import { matcherOf, patternProblem } from '@svc/text/patterns'
import { describe, expect, it } from 'vitest'
import { defaultPolicy, type Override } from './in-force.js'
import { namesBelow, rulesFor } from './overrides.js'

const ground = { folder: '/repo', resolve: (path: string) => posix.resolve('/repo/sub', path) }
const ruling = (...overrides: Override[]) => rulesFor({ ...defaultPolicy, overrides }, ground)
const critical = (...files: string[]): Override => ({ files, failOn: 'critical' })

describe('an override', () => {
  it.each([
    ['legacy/**', '../legacy/a/b.json'],
    ['./legacy/**', '../legacy/b.json'],
    ['sub/*.json', 'a.json'],
    ['sub/*.json', './x/../a.json'],
    ['sub/*.json', '/repo/sub/a.json'],
    ['**', '../.hidden/.a.json'],
    ['{a,b}/*', '../b/c.json'],
    ['sub/\\[id\\].json', '[id].json'],
    ['sub/!(a).json', 'b.json'],
    ['sub/export.zip/**', 'export.zip/conversations.json'],
    ['**/*.zip', 'export.zip/conversations.json'],
    ['**/conversations.json', 'export.zip/conversations.json'],
    ['sub/log.eval', 'log.eval/samples/1.json'],
    ['**', '..a/b.json'],
  ])('an override for %s holds for %s', (pattern, path) => {
    expect(ruling(critical(pattern))(path).failOn).toBe('critical')
  })

  it.each([
    ['legacy/**', 'legacy/a.json'],
    ['*.json', 'a.json'],
    ['sub/*.JSON', 'a.json'],
    ['sub/folder', 'folder/a.json'],
    ['sub/a.jsonl', 'a.jsonl/b.json'],
    ['**', '../../elsewhere/a.json'],
    ['**/*', '/elsewhere/a.json'],
    ['**', '-'],
    ['**', '-/conversations.json'],
  ])('an override for %s does not hold for %s', (pattern, path) => {
    expect(ruling(critical(pattern))(path).failOn).toBe('poor')
  })

  it('overrides an earlier override, and keeps the keys that it does not name', () => {
    const rules = ruling(
      { files: ['sub/**'], failOn: 'mixed', forbidden: ['loop'] },
      { files: ['sub/old/**'], failOn: 'none' },
    )
    expect(rules('a.json')).toMatchObject({ failOn: 'mixed', forbidden: ['loop'], indeterminate: 'unjudged' })
    expect(rules('old/a.json')).toMatchObject({ failOn: 'none', forbidden: ['loop'] })
    expect(rules('old/b.json')).toBe(rules('old/a.json'))
  })

  it('an override is refused if it contradicts another override for the same files', () => {
    const rules = ruling(
      { files: ['sub/**'], required: ['greeting'] },
      { files: ['**/b.json'], forbidden: ['greeting'] },
    )
    expect(rules('a.json').required).toEqual(['greeting'])
    expect(() => rules('b.json')).toThrow(
      expect.objectContaining({
        code: 'invalid_policy',
        message: 'b.json: the overrides of the policy contradict each other here.',
        details: ['the signal greeting is required and forbidden'],
        hint: 'change the overrides for sub/** and for **/b.json',
      }),
    )
  })
})

describe('a path', () => {
  it('matches a Windows path with forward slashes, and none on another drive or in a parent', () => {
    expect(namesBelow('C:\\repo', 'C:\\repo\\old\\a.zip\\b.json', win32)).toEqual(['old/a.zip/b.json', 'old/a.zip'])
    expect(namesBelow('C:\\repo', 'C:\\Repo\\a.json', win32)).toEqual(['a.json'])
    expect(namesBelow('C:\\repo', 'D:\\repo\\a.json', win32)).toEqual([])
    expect(namesBelow('C:\\repo\\x', 'C:\\repo\\a.json', win32)).toEqual([])
  })

  it('keeps the backslashes of a POSIX path', () => {
    expect(namesBelow('/repo', '/repo/a\\b.json', posix)).toEqual(['a\\b.json'])
  })
})

it.each(['a[b', '(a', '{a', '[z-a]', '!a', '{a/b,c}', '*a*b*c*', '+(a|aa)b', '{a,b}{a,b}{a,b}{a,b}'])(
  '%s is no pattern',
  (pattern) => {
    expect(patternProblem(pattern)).toBeTypeOf('string')
  },
)

it('matches a long path in a short time, and refuses a longer name', () => {
  const path = Array.from({ length: 20 }, () => 'a'.repeat(255)).join('/')
  for (const pattern of ['**/*a*a*b', '**/a*/**/*a/**/*/**/*a*b', '{a,aa}{a,aa}{a,aa}*b/**']) {
    expect([patternProblem(pattern), matcherOf([pattern])(path)]).toEqual([undefined, false])
  }
  expect(() => matcherOf(['*.json'])(`${'a'.repeat(256)}.json`)).toThrow(
    expect.objectContaining({ code: 'name_too_long' }),
  )
})
