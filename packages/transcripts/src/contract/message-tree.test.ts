import { describe, expect, it } from 'vitest'
import { branchesOf, pathOf } from './message-tree.js'

/** `b<a` says that a is the parent of b. */
const tree = (...links: string[]) => treeTo(undefined, ...links)

const treeTo = (last: string | undefined, ...links: string[]) => {
  const pairs = links.map((link) => link.split('<'))
  const parents = new Map(pairs.map(([id = '', parent]) => [id, parent] as const))
  const { isKept, others } = branchesOf([...parents.keys()], parents, last)
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
    expect(treeTo('c', 'a', 'b<a', 'c<b', 'd<a', 'e<d')).toEqual({ kept: 'abc', others: ['e'] })
    expect(treeTo('b', 'a', 'b<a', 'c<b', 'd<c', 'e<c')).toEqual({ kept: 'ab', others: ['d', 'e'] })
    expect(treeTo('d', 'a', 'b<a', 'c', 'd<c')).toEqual({ kept: 'cd', others: ['b'] })
    expect(treeTo('c', 'd<c', 'c<b', 'b')).toEqual({ kept: 'cb', others: ['d'] })
    expect(treeTo('a', 'c<b', 'b<a', 'a')).toEqual({ kept: 'a', others: ['c'] })
  })

  it('stand beside the last message if the way to its root is not in the file', () => {
    expect(treeTo('d', 'a', 'b<a', 'c<x', 'd<x')).toEqual({ kept: 'abd', others: ['c'] })
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
