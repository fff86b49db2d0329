import { Refusal } from '../refusal.js'
import type { Pagination } from '../types.js'
import type { AllAmbiguities, Ambiguities } from './declarations.js'

export interface List<Item> {
  /** Every row that matches, newest first. */
  items: readonly Item[]
  /** Milliseconds since an item was stored. */
  ageMs(item: Item): number
  asked: Pick<Pagination, 'page' | 'limit'>
  /** The age at which a filter finds an item. Default 0. */
  filterLagMs?: number
  /** The number of this list among those of the server; it decides an unstable order. */
  number: number
}

/** One page of a list, and its `pagination` if the list shows it. */
export function pageOf<Item>(list: List<Item>, ambiguities: AllAmbiguities): { data: Item[]; pagination?: object } {
  const { items, ageMs, asked, filterLagMs = 0 } = list
  const lagMs = Math.max(ambiguities.listLagMs, filterLagMs)
  const shown = lagMs === 0 ? items : items.filter((item) => ageMs(item) >= lagMs)
  const limit = ambiguities.pageCap === 0 ? asked.limit : Math.min(asked.limit, ambiguities.pageCap)
  const start = (asked.page - 1) * limit
  if (ambiguities.pastEnd !== 'empty' && asked.page > 1 && start >= shown.length)
    throw new Refusal(ambiguities.pastEnd, 'page: there is no such page')
  const data = inOrder(shown, ambiguities.order, list.number).slice(start, start + limit)
  if (ambiguities.pagination === 'none') return { data }
  const total = totalOf((ambiguities.totalLags ? shown : items).length, data.length, ambiguities)
  const pagination = {
    page: asked.page,
    limit: ambiguities.pageCapReported ? limit : asked.limit,
    ...(total !== undefined && { total }),
  }
  return { data, pagination: ambiguities.pagination === 'text' ? asText(pagination) : pagination }
}

function totalOf(count: number, onPage: number, { total, totalCap }: Ambiguities): number | undefined {
  switch (total) {
    case 'none':
      return undefined
    case 'minus one':
      return -1
    case 'capped':
      return Math.min(count, totalCap)
    case 'low':
      return Math.floor(count / 2)
    case 'of the page':
      return onPage
    default:
      return count
  }
}

const asText = (numbers: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, String(value)]))

function inOrder<Item>(items: readonly Item[], order: Ambiguities['order'], number: number): readonly Item[] {
  if (order === 'descending') return items
  return order === 'ascending' ? [...items].reverse() : permuted(items, number)
}

/** A permutation for each number. Two lists in a row never begin with the same item. */
function permuted<Item>(items: readonly Item[], number: number): readonly Item[] {
  const multiplier = Math.imul(number, 0x85ebca6b) ^ 0x9e3779b1
  const keyOf = (index: number) => Math.imul(index + 1, multiplier | 1) >>> 0
  const indexes = items.map((_, index) => index).sort((one, other) => keyOf(one) - keyOf(other))
  const first = indexes.indexOf(number % items.length)
  return [...indexes.slice(first), ...indexes.slice(0, first)].flatMap((index) => items.slice(index, index + 1))
}
