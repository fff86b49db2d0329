import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { branchesOf, type End, pathOf } from './message-tree.js'

/** `b<a` says that a is the parent of b. */
const tree = (...links: string[]) => treeTo({}, ...links)

const treeTo = (end: End, ...links: string[]) => {
  const pairs = links.map((link) => link.split('<'))
  const parents = new Map(pairs.map(([id = '', parent]) => [id, parent] as const))
  const { isKept, others } = branchesOf([...parents.keys()], parents, end)
  return { kept: [...parents.keys()].filter(isKept).join(''), others }
}

describe('the branches of a tree of messages', () => {
  it('end with the newest message', () => {
    expect(tree('a', 'b<a', 'c<b', 'd<a', 'e<d')).toEqual({ kept: 'ade', others: ['c'] })
    expect(tree('a', 'b<a', 'c<b', 'd<b', 'e<a')).toEqual({ kept: 'ae', others: ['c', 'd'] })
  })

  it('the branches of each tree of messages are kept, and a missing parent is the root of those that name it', () => {
    expect(tree('a', 'b<a', 'c', 'd<c')).toEqual({ kept: 'abcd', others: [] })
    expect(tree('a<x', 'b<x', 'c<y')).toEqual({ kept: 'bc', others: ['a'] })
  })

  it('end with the last message, and what follows it, or stands in another tree, is a branch of its own', () => {
    expect(treeTo({ last: 'c' }, 'a', 'b<a', 'c<b', 'd<a', 'e<d')).toEqual({ kept: 'abc', others: ['e'] })
    expect(treeTo({ last: 'b' }, 'a', 'b<a', 'c<b', 'd<c', 'e<c')).toEqual({ kept: 'ab', others: ['d', 'e'] })
    expect(treeTo({ last: 'd' }, 'a', 'b<a', 'c', 'd<c')).toEqual({ kept: 'cd', others: ['b'] })
    expect(treeTo({ last: 'c' }, 'd<c', 'c<b', 'b')).toEqual({ kept: 'cb', others: ['d'] })
    expect(treeTo({ last: 'a' }, 'c<b', 'b<a', 'a')).toEqual({ kept: 'a', others: ['c'] })
  })

  it('stand beside the last message if the way to its root is not in the file', () => {
    expect(treeTo({ last: 'd' }, 'a', 'b<a', 'c<x', 'd<x')).toEqual({ kept: 'abd', others: ['c'] })
  })

  it('end in a log with the newest message, or with those that follow it', () => {
    const isLog = true
    expect(treeTo({ isLog }, 'a', 'b<a', 'c', 'd<c')).toEqual({ kept: 'cd', others: ['b'] })
    expect(treeTo({ isLog }, 'a', 'c<b', 'd<c', 'b<a')).toEqual({ kept: 'acdb', others: [] })
    expect(treeTo({ isLog, loose: new Set('a') }, 'a', 'b<a', 'c', 'd<c')).toEqual({ kept: 'abcd', others: [] })
    expect(treeTo({ isLog }, 'a', 'b<b', 'c<b')).toEqual({ kept: 'abc', others: [] })
  })

  it('hold each message of any tree, and the kept one holds the last message', () => {
    const ids = [...'abcdefgh']
    const parent = fc.constantFrom(...ids, 'x', undefined)
    const last = fc.constantFrom(...ids, undefined)
    fc.assert(
      fc.property(fc.tuple(...ids.map(() => parent)), last, fc.boolean(), (list, last, isLog) => {
        const parents = new Map(ids.map((id, index) => [id, list[index]]))
        const { isKept, others } = branchesOf(ids, parents, { last, isLog })
        const left = new Set(others.flatMap((leaf) => [...pathOf(leaf, parents)]))
        expect(ids.filter((id) => !isKept(id) && !left.has(id))).toEqual([])
        if (last !== undefined || isLog) expect(isKept(last ?? 'h')).toBe(true)
      }),
    )
  })

  it('the branches of a tree of messages may have a child before its parent, and circles', () => {
    expect(tree('b<a', 'c<b', 'a')).toEqual({ kept: 'bca', others: [] })
    expect(tree('a<b', 'b<a')).toEqual({ kept: 'ab', others: [] })
    expect([
      ...pathOf(
        'a',
        new Map([
          ['a', 'b'],
          ['b', 'a'],
        ]),
      ),
    ]).toEqual(['a', 'b'])
  })
})
