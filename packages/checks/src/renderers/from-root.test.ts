import { posix, win32 } from 'node:path'
import { describe, expect, it } from 'vitest'
import { caseOf, reportOf } from '../../test/fixtures/report.js'
import { fromRoot, placeInRepository } from './from-root.js'

const mapped = (path: string, root: string, cwd: string, system = posix) =>
  fromRoot(reportOf([caseOf({ path })]), root, cwd, system).cases[0]?.path

describe('a path from the root of a repository', () => {
  it.each([
    ['./new/a.json', '/repo', 'new/a.json'],
    ['conversations//a.json', '/repo', 'conversations/a.json'],
    ['a.json', '/repo/sub', 'sub/a.json'],
    ['../a.json', '/repo/sub', 'a.json'],
    ['/repo/conversations/a.json', '/elsewhere', 'conversations/a.json'],
    ['/repo2/a.json', '/repo', '/repo2/a.json'],
    ['..a/b.json', '/repo', '..a/b.json'],
    ['../../a.json', '/repo/sub', '/a.json'],
    ['./x.zip/a/b.json', '/repo', 'x.zip/a/b.json'],
    ['-', '/repo/sub', '-'],
    ['-/a.json', '/repo/sub', '-/a.json'],
  ])('the path from the root of a repository of %s in %s is %s', (path, cwd, expected) => {
    expect(mapped(path, '/repo', cwd)).toBe(expected)
  })

  it('a path from the root of a repository has forward slashes on every system', () => {
    expect(mapped('.\\conversations\\a.json', 'C:\\repo', 'C:\\repo\\sub', win32)).toBe('sub/conversations/a.json')
    expect(mapped('D:\\a.json', 'C:\\repo', 'C:\\repo', win32)).toBe('D:/a.json')
  })
})

describe('a place in a repository', () => {
  it.each([
    ['conversations/a.json', 'conversations/a.json', 3],
    ['export.zip/a/b.json', 'export.zip', null],
    ['logs/x.eval', 'logs/x.eval', null],
    ['export.ZIP.gz/b.zip/c.json', 'export.ZIP.gz', null],
    ['conversations.jsonl.gz', 'conversations.jsonl.gz', null],
    ['conversations.zst', 'conversations.zst', null],
    ['a.gz/b.json', 'a.gz/b.json', 3],
  ])('a place in a repository of %s is %s, line %s', (path, file, line) => {
    const column = line && 1
    expect(placeInRepository({ path, line: 3, column: 1 })).toEqual({ path: file, line, column })
  })

  it('a place in a repository has no place for standard input', () => {
    for (const path of ['-', '-/a.json']) expect(placeInRepository({ path, line: 3, column: 1 })).toBeUndefined()
  })
})
