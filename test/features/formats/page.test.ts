import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { sectionsText } from '../../../packages/transcripts/readers.js'
import { readers } from '../../../packages/transcripts/src/formats/index.js'
import { columnFields } from '../../../packages/transcripts/src/records/index.js'

const pagePath = fileURLToPath(new URL('../../../docs/reference/formats.md', import.meta.url))
const page = readFileSync(pagePath, 'utf8')
const sections = new Map(page.split(/^### /m).map((section) => [/^`(.*)`/.exec(section)?.[1], section]))

describe('docs/reference/formats.md', () => {
  it('describes the formats as the files beside them do; `vitest -u` writes it', async () => {
    const byHand = page.slice(0, page.indexOf('| id | |\n'))
    await expect(byHand + sectionsText(readers)).toMatchFileSnapshot(pagePath)
  })

  it.each(readers)(
    'describes $id by where it is found, and by what differs in what is kept and lost',
    ({ id, accepts }) => {
      const section = sections.get(id)?.trimEnd().concat('\n') ?? ''
      const lines =
        /^.*\n\n- \*\*Found:\*\* .*[^.;,]\n(?:- \*\*Accepted:\*\* (.*)\n)?(?:- \*\*Kept:\*\* .*[^.;,]\n)?(?:- \*\*Lost:\*\* .*[^.;,]\n)?$/
      const [matched, accepted = accepts] = lines.exec(section) ?? []
      expect([matched, accepted.replaceAll('`', '')]).toEqual([section, accepts])
    },
  )

  it('names the fields of a table', () => {
    const names = columnFields.map((field) => `\`${field}\``)
    expect(page.replace(/\s+/g, ' ')).toContain(`the fields are ${names.slice(0, -1).join(', ')} and ${names.at(-1)}.`)
  })
})
