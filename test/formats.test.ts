import { describe, expect, it } from 'vitest'
import { readers } from '../packages/transcripts/src/formats/registry.js'
import { columnFields } from '../packages/transcripts/src/records/table.js'
import { formatsPage } from './formats-page.js'

describe('docs/reference/formats.md', () => {
  it('docs/reference/formats.md is the table of formats that the importers use', async () => {
    await expect(formatsPage(readers, columnFields)).toMatchFileSnapshot('../docs/reference/formats.md')
  })

  it('describes every format in every line', () => {
    const reported = readers.flatMap(({ title, found, accepts, keeps, loses }) => [title, found, accepts, keeps, loses])
    expect(reported.filter((text) => text.trim() === '' || /[.;,]$/.test(text))).toEqual([])
  })
})
