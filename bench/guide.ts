import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { markdownTable } from '../test/helpers/markdown-table.js'

const page = fileURLToPath(new URL('../docs/concepts/simulation.md', import.meta.url))

/** True if the tables of the page are asked for. */
export const isPublished = process.argv.includes('-u')

/** Print a table, and write it into the page about the simulator, after the comment with this name. */
export function publish(name: string, table: string[][]): void {
  const text = markdownTable(table)
  console.log(`\n${text}`)
  const place = new RegExp(`(<!-- ${name}: .*-->\\n\\n)(?:\\|.*\\n)*`)
  writeFileSync(
    page,
    readFileSync(page, 'utf8').replace(place, (_, comment: string) => comment + text),
  )
}
