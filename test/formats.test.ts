import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readers } from '../packages/transcripts/src/formats/index.js'
import { columnFields } from '../packages/transcripts/src/records/index.js'

const page = readFileSync(new URL('../docs/reference/formats.md', import.meta.url), 'utf8')
const sections = new Map(page.split(/^### /m).map((section) => [/^`(.*)`/.exec(section)?.[1], section]))

describe('docs/reference/formats.md', () => {
  it('lists the id and the title of every format', () => {
    const rows = [...page.matchAll(/^\| \[`(.+)`\]\(#\1\) \| (.+) \|$/gm)]
    expect(Object.fromEntries(rows.map(([, id, title]) => [id, title]))).toEqual(
      Object.fromEntries(readers.map(({ id, title }) => [id, title])),
    )
  })

  it.each(readers)('describes $id by where it is found, what is accepted, kept and lost', ({ id, title, accepts }) => {
    const [, shownTitle, accepted] =
      /^.*\n\n(.*)\n\n- \*\*Found:\*\* .*[^.;,]\n- \*\*Accepted:\*\* (.*)\n- \*\*Kept:\*\* .*[^.;,]\n- \*\*Lost:\*\* .*[^.;,]\n$/.exec(
        sections.get(id)?.trimEnd().concat('\n') ?? '',
      ) ?? []
    expect(shownTitle).toBe(title)
    expect(accepted?.replaceAll('`', '')).toBe(accepts)
  })

  it('names the fields of a table', () => {
    const names = columnFields.map((field) => `\`${field}\``)
    expect(page.replace(/\s+/g, ' ')).toContain(`the fields are ${names.slice(0, -1).join(', ')} and ${names.at(-1)}.`)
  })
})
