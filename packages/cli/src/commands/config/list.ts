import { printJson, printRows } from '../../output.js'
import type { Work } from '../act.js'
import { shown, shownNames } from './shown.js'

export const listSettings: Work<[], { showOrigin?: boolean }> = async (context, _, { showOrigin = false }) => {
  const values = shown(await context.settings(), context.flags.profile !== undefined)
  const set = shownNames.flatMap((name) => {
    const each = values[name]
    return each ? [{ name, ...each }] : []
  })
  if (context.flags.json) {
    const settings = Object.fromEntries(
      set.map(({ name, value, origin }) => [name, showOrigin ? { value, origin } : value]),
    )
    printJson(context, { schema: 'svc/settings@1', settings })
  } else {
    const rows = set.map(({ name, value, origin }) => (showOrigin ? [name, value, origin] : [name, value]))
    printRows(context, showOrigin ? ['NAME', 'VALUE', 'ORIGIN'] : ['NAME', 'VALUE'], rows)
  }
  return undefined
}
