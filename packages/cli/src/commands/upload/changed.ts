import type { Context } from '../../context.js'
import { count } from '../../text.js'
import type { Item } from './item.js'

/** Says of an item that an earlier run stored other content under its external id. */
export const changedLine = ({ label }: Item, id: string): string => `${label}: same external id as ${id}, other content`

const shown = 3

/** Names the first of the items that changed since they were stored, and how many more there are. */
export function tellChanged({ say }: Pick<Context, 'say'>, lines: readonly string[]): void {
  for (const line of lines.slice(0, shown)) say(`note: ${line}`)
  if (lines.length > shown) say(`note: ${count(lines.length - shown, 'more transcript')} with other content`)
}
