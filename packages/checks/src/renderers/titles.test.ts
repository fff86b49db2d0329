import { describe, expect, it } from 'vitest'
import { caseOf, failedCase, missingCase, reportOf } from '../../test/fixtures/report.js'
import { render } from './render.js'

const forms = ['terminal', 'html', 'md', 'junit', 'github', 'gitlab', 'sarif', 'summary'] as const

describe('the title of a transcript', () => {
  it.each(forms)(
    'the title of a transcript is its name in the form %s, and its file if it has no name',
    async (form) => {
      const cases = [
        failedCase({ name: 'The parcel that never came', path: 'a.json' }),
        missingCase({ name: 'The second parcel', path: 'b.json' }),
        failedCase({ name: ' ', path: 'folder/nameless.json', record: 3 }),
      ]
      const text = [...(await render(reportOf(cases), form, { verbose: true }))].join('')
      for (const title of ['The parcel that never came', 'The second parcel', 'folder/nameless.json record 3'])
        expect(text).toContain(title)
    },
  )

  it.each(forms)(
    'the title of a transcript is the same in the form %s, whatever the annotator calls it',
    async (form) => {
      const { summary } = caseOf()
      const titled = (title: string) => reportOf([failedCase({ summary: summary && { ...summary, title } })])
      const shown = async (title: string) =>
        [...(await render(titled(title), form))].join('').replace(/<script type="application\/json".*?<\/script>/gs, '')
      expect(await shown('One title')).toBe(await shown('Another title'))
    },
  )
})
