import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { markdownTable } from '../test/helpers/markdown-table.js'

const page = fileURLToPath(new URL('../docs/concepts/simulation.md', import.meta.url))

/** Print a table, and with `-u` write it into the page about the simulator, after the comment with this name. */
export function publish(name: string, table: string[][]): void {
  const text = markdownTable(table)
  console.log(`\n${text}`)
  if (!process.argv.includes('-u')) return
  const place = new RegExp(`(<!-- ${name}: .*-->\\n\\n)(?:\\|.*\\n)*`)
  writeFileSync(
    page,
    readFileSync(page, 'utf8').replace(place, (_, comment: string) => comment + text),
  )
}
