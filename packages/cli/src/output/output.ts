import type { Context } from '../context.js'
import type { Output } from '../io/index.js'
import { inert, inertJson, tsv } from '../terminal/index.js'

export type Printing = Pick<Context, 'select' | 'flags' | 'now'> & {
  io: { stdout: Pick<Output, 'isTTY' | 'columns' | 'write'> }
}

/** Print one JSON document: indented on a terminal, compact in a pipe. */
export function printJson(context: Printing, document: object): void {
  const { stdout } = context.io
  stdout.write(`${inertJson(selected(context, document), stdout.isTTY ? 2 : 0)}\n`)
}

/** Print a JSON object on one line. */
export function printJsonLine(context: Printing, document: object): void {
  context.io.stdout.write(jsonLine(context, document))
}

export const jsonLine = (context: Pick<Printing, 'select'>, document: object): string =>
  `${inertJson(selected(context, document))}\n`

const selected = ({ select }: Pick<Printing, 'select'>, document: object): object => select?.(document) ?? document

/** A record of the service as a document. */
export const documentOf = (schema: string, record: object): object => Object.assign({ schema }, record, { schema })

/** Print every field of a record, one on a line, also those that the interface does not show. */
export function printRecord(context: Context, record: object, without: readonly string[] = []): void {
  const known = Object.entries(record).filter(([name]) => !without.includes(name))
  if (!context.io.stdout.isTTY) return context.io.stdout.write(tsv(known.map(([name, value]) => [name, cell(value)])))
  const fields = known.map(([name, value]): [string, unknown] => [inert(name), value])
  const width = Math.max(...fields.map(([name]) => name.length))
  for (const [name, value] of fields) {
    context.io.stdout.write(`${context.style.out('dim', name.padEnd(width))}  ${inert(cell(value))}\n`)
  }
}

/** A value as a cell: text unchanged, null as empty, the rest as JSON. */
export const cell = (value: unknown): string =>
  typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value)
