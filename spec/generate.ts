/**
 * Writes the types of both surfaces into the packages that read them. `pnpm generate` runs it; `test/spec.test.ts`
 * proves that what is committed is what it would write.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import openapiTypescript, { astToString } from 'openapi-typescript'

const root = new URL('../', import.meta.url)
const surfaces = ['annotation', 'workspace'] as const
const packages = ['client', 'reference-server'] as const

/** Every generated file: its path from the repository's root and the text that belongs there. */
export async function generated(): Promise<{ path: string; text: string }[]> {
  const files: { path: string; text: string }[] = []
  for (const surface of surfaces) {
    const ast = await openapiTypescript(new URL(`spec/${surface}.openapi.yaml`, root), {
      alphabetize: true,
      // A property with a default may be left out by the caller.
      defaultNonNullable: false,
    })
    const text = `/** Generated from spec/${surface}.openapi.yaml by \`pnpm generate\`; never edited. */\n\n${astToString(ast)}`
    for (const name of packages) files.push({ path: `packages/${name}/src/generated/${surface}.ts`, text })
  }
  return files
}

/** What is committed at a path, or '' when nothing is. */
export const committed = (path: string): Promise<string> => readFile(new URL(path, root), 'utf8').catch(() => '')

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const { path, text } of await generated()) await writeFile(new URL(path, root), text)
}
