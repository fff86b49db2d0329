import { readdirSync, readFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the formats. */
export const formatsFolder = fileURLToPath(new URL('src/formats/', import.meta.url))

/** The start of an exported format, such as `export const myBot = defineFormat({ id: 'my-bot',`. */
const exported = /^export const (\w+)(?::[^=\n]+)? = (?:\w+\()?\{\s+id: '([^'\n]+)'/gm

/** The files of a folder, and of those in it, whose names end so. */
const filesIn = (folder: string, ending: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(({ name }) => name.endsWith(ending))
    .map(({ parentPath, name }) => join(parentPath, name))

/** The files of the formats with an ending, by the ids that they begin with. */
export const besideFormats = (ending: string, folder = formatsFolder): ReadonlyMap<string, string> =>
  new Map(filesIn(folder, ending).map((path) => [basename(path).slice(0, -ending.length), path]))

const inOrder = (path: string): string => path.replaceAll('/', ' ')

/** The text of `readers.ts` in the folder of the formats: all formats in its files, in the order of their ids. */
export function readersText(folder = formatsFolder): string {
  const found = filesIn(folder, '.ts')
    .filter((path) => !path.endsWith('.test.ts'))
    .flatMap((path) => {
      const from = `./${relative(folder, path).replaceAll('\\', '/').replace(/\.ts$/, '.js')}`
      return [...readFileSync(path, 'utf8').matchAll(exported)].map(([, name = '', id = '']) => ({ name, id, from }))
    })
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const twice = found.find(({ id }, index) => found[index + 1]?.id === id)
  if (twice) throw new Error(`two formats have the id ${twice.id}`)
  // Biome sorts a folder before those whose names begin with its name.
  const sorted = [...new Set(found.map(({ from }) => from))].toSorted((a, b) => (inOrder(a) < inOrder(b) ? -1 : 1))
  const imports = sorted.map((from) => {
    const names = found.filter((format) => format.from === from).map(({ name }) => name)
    return `import { ${names.join(', ')} } from '${from}'\n`
  })
  return `// Written by test/features/formats/readers.test.ts with \`vitest -u\`.
${imports.join('')}
/** Every format in this folder, in the order of the ids. The order gives no priority: a file of two formats is refused. */
export const readers = [
${found.map(({ name }) => `  ${name},\n`).join('')}] as const
`
}

/** The list of the formats in the reference: the title of each, and the file beside it. */
export function listText(formats: readonly { id: string; title: string }[]): string {
  const pages = besideFormats('.md')
  const items = formats.map(({ id, title }) => {
    const path = pages.get(id)
    if (path === undefined) throw new Error(`${id}.md is missing beside the format`)
    return `- **\`${id}\`** (${title}): ${readFileSync(path, 'utf8')}`
  })
  return items.join('')
}
