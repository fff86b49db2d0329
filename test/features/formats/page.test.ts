import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { listText } from '../../../packages/transcripts/readers.js'
import { readers } from '../../../packages/transcripts/src/formats/index.js'
import { columnFields } from '../../../packages/transcripts/src/records/index.js'

const pagePath = fileURLToPath(new URL('../../../docs/reference/formats.md', import.meta.url))
const page = readFileSync(pagePath, 'utf8')
const items = listText(readers).split('\n')

describe('docs/reference/formats.md', () => {
  it('describes the formats as the files beside them do; `vitest -u` writes it', async () => {
    const byHand = page.slice(0, page.indexOf('- **`'))
    await expect(byHand + listText(readers)).toMatchFileSnapshot(pagePath)
  })

  it.each(readers)('describes $id in one line of sentences', ({ id, title }) => {
    const [item, ...others] = items.filter((line) => line.startsWith(`- **\`${id}\`** (${title}): `))
    expect([item, others]).toEqual([expect.stringMatching(/: [^\n]+[^.;,]\.$/), []])
    expect(item).not.toContain('TODO')
  })

  it('names the fields of a table', () => {
    const names = columnFields.map((field) => `\`${field}\``)
    expect(page.replace(/\s+/g, ' ')).toContain(`the fields are ${names.slice(0, -1).join(', ')} and ${names.at(-1)}.`)
  })
})
