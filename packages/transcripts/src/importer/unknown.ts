import { rolesText } from '../contract/index.js'
import { describe } from '../json/index.js'
import type { Ranked } from './detect.js'
import { type Columns, closed, isSaid, mapsIn, openRole, textsOfGroups } from './maps.js'

/** The message for a file that no format recognizes: what was found, and how to read it. `reads`: true if a map reads the records. */
export function unknownFormat(
  values: readonly unknown[],
  best: Ranked | undefined,
  reads: ((columns: Columns) => boolean) | undefined,
): string {
  const works = reads && mapsIn(values).find((columns) => reads(closed(columns)))
  const fields = textsOfGroups(values).filter(isSaid).slice(0, mostShown)
  const own = ', or write a format of your own (--importer)'
  const help = works
    ? `; to read it, give ${Object.entries(works).map(mapOption).join(' ')}${withRoles(works)}`
    : best !== undefined && best.confidence >= leastLike
      ? `; ${likeText(best)}: --format ${best.format} reads it as that`
      : fields.length === 0
        ? ''
        : `; its texts are in ${fields.map((field) => JSON.stringify(field)).join(', ')}: map those of a conversation (--map user=FIELD --map assistant=FIELD, or role and content)${own}`
  return `expected a transcript, found ${describe(values[0])}${help}`
}

const withRoles = (columns: Columns): string =>
  Object.values(columns).includes(openRole) ? `, with ${openRole} ${rolesText}` : ''

const likeText = ({ format, recognized, sampled }: Ranked): string =>
  sampled === 1 ? `it may be ${format}` : `${recognized} of the first ${sampled} records look like ${format}`

/** A format that recognizes a file less surely is not named. */
const leastLike = 0.3

const mostShown = 8

function mapOption([field, name]: [string, string]): string {
  const text = `${field}=${name}`
  return `--map ${/^[\w.=:-]+$/.test(text) ? text : JSON.stringify(text)}`
}
