import { describe, expect, it } from 'vitest'
import type { EmbeddedReport } from '../src/report/embedded.js'
import { caseOf, failedCase, missingCase } from '../test/fixtures/cases.js'
import { commonFolder, groupings, groupsOf, groupText, isMember, memberText } from './groups.js'

const cases = [
  caseOf({ path: 'all/orders/1.json', tags: { team: ['a'] } }),
  failedCase({ path: 'all/orders/late/2.json', tags: { team: ['a', 'b'] } }),
  missingCase({ path: 'all/orders/3.json', tags: {} }),
  failedCase({ path: 'all/returns/4.json', tags: { team: [] } }),
]
const report = { slices: [{ tag: 'team' }, { tag: 'team' }] } as EmbeddedReport
const shown = (by: 'folder' | 'tag team', options = {}) =>
  groupsOf(cases, cases.keys(), by, options).map((group) => [memberText(group), groupText(group), group.indices])

describe('groups of transcripts', () => {
  it('are those of folders and tags, where these separate them', () => {
    expect(groupings(report, cases)).toEqual(['folder', 'tag team'])
    expect(groupings({} as EmbeddedReport, cases.slice(0, 1))).toEqual([])
  })

  it('come with the most failed transcripts first, and count what was not judged', () => {
    expect(shown('folder')).toEqual([
      ['all/orders/late', '1 of 1 transcript failed', [1]],
      ['all/returns', '1 of 1 transcript failed', [3]],
      ['all/orders', '0 of 2 transcripts failed, 1 not judged', [0, 2]],
    ])
  })

  it('of a tag hold a transcript once for each value, or once in all', () => {
    expect(shown('tag team')).toEqual([
      ['without team', '1 of 2 transcripts failed, 1 not judged', [2, 3]],
      ['team=a', '1 of 2 transcripts failed', [0, 1]],
      ['team=b', '1 of 1 transcript failed', [1]],
    ])
    expect(shown('tag team', { once: true }).map(([name, , indices]) => [name, indices])).toEqual([
      ['without team', [2, 3]],
      ['team=a, b', [1]],
      ['team=a', [0]],
    ])
  })

  it('leave out the folder that all have in common', () => {
    expect(commonFolder(cases)).toBe('all/')
    const names = groupsOf(cases, [0, 1, 3], 'folder').map((group) => memberText(group, commonFolder(cases)))
    expect(names).toEqual(['orders/late', 'returns', 'orders'])
    const below = commonFolder(cases.slice(0, 2))
    expect([below, memberText({ by: 'folder', value: 'all/orders' }, below)]).toEqual(['all/orders/', '.'])
    expect(memberText({ by: 'folder', value: null })).toBe('no folder')
  })

  it.each([
    ['a.json', 'all/b.json'],
    ['/a.json', 'all/b.json'],
    ['all/a.json', 'b.json'],
    ['/all/a.json', '/none/b.json'],
  ])('have no folder in common: %s', (...paths) => {
    expect(commonFolder(paths.map((path) => caseOf({ path })))).toBe('')
  })

  it('say which transcripts are in them', () => {
    const inB = cases.map((each) => isMember(each, { by: 'tag team', value: 'b' }))
    expect(inB).toEqual([false, true, false, false])
  })
})
