import { describe, expect, it } from 'vitest'
import { casesOf } from '../variants.js'
import { kinds } from './fault.js'
import { faultsPage } from './faults-page.js'
import { furtherFaults } from './further-faults.js'
import { measuredFaults } from './measured-faults.js'
import { observe } from './row.js'
import { transports } from './transports.js'

const rows = [...measuredFaults, ...furtherFaults].flat()
/** A row of large bodies is the same for each method. */
const verbsOf = ({ fault, kind }: (typeof rows)[number]) =>
  fault.startsWith('POST of 16 MB') ? casesOf(kinds[kind]) : kinds[kind]
const cases = rows.flatMap((row) => verbsOf(row).map((verb) => ({ row, verb })))

describe.each(transports)('over $name,', (transport) => {
  it.each(cases.map((each) => ({ ...each, name: `${each.verb}: ${each.row.fault}` })))(
    '$name',
    async ({ row, verb }) => {
      expect(await observe(transport, row, verb)).toEqual({ sends: row.sends, gets: row.gets })
    },
  )
})

describe('docs/reference/faults.md', () => {
  it('docs/reference/faults.md is the table that these tests hold', async () => {
    await expect(faultsPage(measuredFaults, furtherFaults)).toMatchFileSnapshot('../../docs/reference/faults.md')
  })
})
