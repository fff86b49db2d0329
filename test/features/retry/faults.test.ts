import { describe, expect, it } from 'vitest'
import { casesOf, inTurn } from '../../helpers/long.js'
import { kinds } from './fault.js'
import { faultsPage } from './faults-page.js'
import { furtherFaults } from './further-faults.js'
import { measuredFaults } from './measured-faults.js'
import { chances, observe } from './row.js'
import { type Transport, transports } from './transports.js'

const faults = [...measuredFaults, ...furtherFaults]
const rows = faults.flat()
const [first, ...others] = transports
/** The other transports, and as often none. */
const further = [...others, ...others.map(() => undefined)]
/**
 * A large body goes over one transport in turn, with one method and chance, all else over the first one, and each second of it
 * over another in turn; all go over all, with each, in the long form.
 */
const isLarge = ({ fault }: (typeof rows)[number]) => fault.startsWith('POST of 16 MB')
const casesOver = (transport: Transport) =>
  rows.flatMap((row, turn) => {
    const verbs = kinds[row.kind]
    if (isLarge(row)) {
      return inTurn(transports, turn).includes(transport) ? casesOf(verbs).map((verb) => ({ row, verb })) : []
    }
    const isOver = (at: number) => transport === first || inTurn(further, turn + at).includes(transport)
    return verbs.filter((_, at) => isOver(at)).map((verb) => ({ row, verb }))
  })

describe.each(transports)('over $name,', (transport) => {
  it.each(casesOver(transport).map((each) => ({ ...each, name: `${each.verb}: ${each.row.fault}` })))(
    '$name',
    async ({ row, verb }) => {
      const observed = await observe(transport, row, verb, isLarge(row) ? casesOf(chances) : chances)
      expect(observed).toEqual({ sends: row.sends, gets: row.gets })
    },
  )
})

describe('docs/reference/faults.md', () => {
  it('docs/reference/faults.md shows the most common faults as these tests hold them', async () => {
    await expect(faultsPage(measuredFaults)).toMatchFileSnapshot('../../../docs/reference/faults.md')
  })
})
