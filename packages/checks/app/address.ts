import type { EmbeddedCase } from '../src/report/embedded.js'
import { changes, results } from '../src/terms.js'
import { type Filter, negatable, noFilter, orders } from './filter.js'
import type { Grouping } from './groups.js'

/** A filter and an open transcript, as the fragment of an address names them. */
export interface Address {
  filter: Filter
  /** The index of the open transcript. */
  open: number | undefined
  /** The fragment names a transcript that the report does not have. */
  isLost: boolean
}

/** Sixteen digits of its hash name a transcript in every report that has it; the name of a field of the address, and its value. */
export const linkOf = ({ sha256, occurrence, path }: EmbeddedCase): [name: string, value: string] =>
  sha256 === null ? ['path', path] : ['sha', sha256.slice(0, 16) + (occurrence > 1 ? `-${occurrence}` : '')]

/** As in `#sha=0123456789abcdef&result=failed`; empty for all transcripts in the usual order. */
export function addressOf({ text, member, flaky, not, ...fields }: Filter, open: EmbeddedCase | undefined): string {
  const query = new URLSearchParams(open && [linkOf(open)])
  if (text !== '') query.set('q', text)
  for (const name of Object.keys(fields) as (keyof typeof fields)[])
    if (fields[name] !== noFilter[name]) query.set(name, fields[name])
  if (flaky) query.set('flaky', '1')
  for (const name of not) query.append('not', name)
  if (member) query.set('in', member.by)
  if (member && member.value !== null) query.set('is', member.value)
  const fragment = query.toString()
  return fragment && `#${fragment}`
}

/** Names and values that the report does not know are dropped, except texts to search for. */
export function readAddress(hash: string, cases: readonly EmbeddedCase[], groupings: readonly Grouping[]): Address {
  const query = new URLSearchParams(hash.slice(1))
  const text = (name: string) => query.get(name) ?? ''
  const oneOf = <Word extends string>(name: string, words: readonly Word[]) =>
    words.find((word) => word === query.get(name))
  const by = oneOf('in', groupings)
  const open = openIn(query, cases)
  const filter: Filter = {
    text: text('q'),
    result: oneOf('result', results) ?? '',
    outcome: text('outcome'),
    signal: text('signal'),
    change: oneOf('change', changes) ?? '',
    flaky: query.has('flaky'),
    gap: text('gap'),
    not: [],
    member: by && { by, value: query.get('is') },
    order: oneOf('order', orders) ?? noFilter.order,
    group: oneOf('group', groupings) ?? '',
  }
  return {
    filter: { ...filter, not: negatable.filter((name) => filter[name] && query.getAll('not').includes(name)) },
    open,
    isLost: open === undefined && (query.has('sha') || query.has('path')),
  }
}

function openIn(query: URLSearchParams, cases: readonly EmbeddedCase[]): number | undefined {
  const [, hash = '', nth = '1'] = /^([\da-f]{8,64})(?:-(\d+))?$/.exec(query.get('sha') ?? '') ?? []
  const isNamed = ({ sha256, occurrence, path }: EmbeddedCase) =>
    sha256 === null ? path === query.get('path') : hash !== '' && sha256.startsWith(hash) && occurrence === Number(nth)
  const index = cases.findIndex(isNamed)
  return index < 0 ? undefined : index
}
