import { Refusal } from './refusal.js'
import type { Pagination } from './types.js'

/** A page that was asked for: 1-indexed, `limit` items long. */
export interface PageRequest {
  page: number
  limit: number
}

const bounds = { page: { default: 1, max: Number.MAX_SAFE_INTEGER }, limit: { default: 20, max: 100 } }

/** Reads `page` (default 1) and `limit` (default 20, max 100); what is out of bounds is 400, or moved into them if lenient. */
export function readPage(query: URLSearchParams, lenient: boolean): PageRequest {
  return { page: integer(query, 'page', lenient), limit: integer(query, 'limit', lenient) }
}

/** The items of a page, and what the list says about it; a page past the end is empty. */
export function paginate<T>(items: readonly T[], { page, limit }: PageRequest): { data: T[]; pagination: Pagination } {
  const start = (page - 1) * limit
  return { data: items.slice(start, start + limit), pagination: { page, limit, total: items.length } }
}

function integer(query: URLSearchParams, name: 'page' | 'limit', lenient: boolean): number {
  const text = query.get(name)
  const { default: fallback, max } = bounds[name]
  if (text === null) return fallback
  const value = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN
  if (value >= 1 && value <= max) return value
  if (lenient) return Number.isNaN(value) ? fallback : Math.min(Math.max(value, 1), max)
  throw new Refusal(
    400,
    name === 'limit' ? 'limit: expected an integer from 1 to 100' : 'page: expected an integer from 1',
  )
}
