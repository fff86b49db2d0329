import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the formats. */
export const formatsFolder = fileURLToPath(new URL('src/formats/', import.meta.url))

/** The start of an exported format, such as `export const myBot = defineFormat({ id: 'my-bot',`. */
const exported = /^export const (\w+)(?::[^=\n]+)? = (?:\w+\()?\{\s+id: '([^'\n]+)'/gm

/** The text of `readers.ts` in the folder of the formats: all formats in its files, in the order of their ids. */
export function readersText(folder = formatsFolder): string {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(({ name }) => /\.ts$/.test(name) && !/\.test\.ts$/.test(name))
    .flatMap((file) => {
      const path = join(file.parentPath, file.name)
      const from = `./${relative(folder, path).replaceAll('\\', '/').replace(/\.ts$/, '.js')}`
      return [...readFileSync(path, 'utf8').matchAll(exported)].map(([, name = '', id = '']) => ({ name, id, from }))
    })
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const twice = found.find(({ id }, index) => found[index + 1]?.id === id)
  if (twice) throw new Error(`two formats have the id ${twice.id}`)
  const imports = [...new Set(found.map(({ from }) => from))].toSorted().map((from) => {
    const names = found.filter((format) => format.from === from).map(({ name }) => name)
    return `import { ${names.join(', ')} } from '${from}'\n`
  })
  return `// Written by test/formats/readers.test.ts with \`vitest -u\`.
${imports.join('')}
/** Every format in this folder, in the order of the ids. The order gives no priority: a file of two formats is refused. */
export const readers = [
${found.map(({ name }) => `  ${name},\n`).join('')}] as const
`
}
