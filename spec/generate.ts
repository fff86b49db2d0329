/**
 * Writes every generated file that is committed: the types of both surfaces, the description that the reference server
 * serves, and the JSON schema of the policy file. Run by `pnpm generate`; `test/repository/spec.test.ts` compares the result.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import openapiTypescript, { astToString } from 'openapi-typescript'
import { policyJsonSchema } from '../packages/checks/src/policy/index.js'
import { describeControl, describeService } from './description.js'

const root = new URL('../', import.meta.url)
/** The documents, and the packages that have their types. */
const documents = {
  annotation: ['client', 'reference-server'],
  workspace: ['client', 'reference-server'],
  control: ['reference-server'],
} as const

/** Every generated file, with its path from the repository's root. */
export async function generated(): Promise<{ path: string; text: string }[]> {
  const files: { path: string; text: string }[] = []
  for (const [name, packages] of Object.entries(documents)) {
    const ast = await openapiTypescript(new URL(`spec/${name}.openapi.yaml`, root), {
      alphabetize: true,
      // A request may omit a property with a default.
      defaultNonNullable: false,
    })
    const text = `/** Generated from spec/${name}.openapi.yaml by \`pnpm generate\`; never edited. */\n\n${withPlainDocs(astToString(ast))}`
    for (const folder of packages) files.push({ path: `packages/${folder}/src/generated/${name}.ts`, text })
  }
  const modules = {
    json: { ...(await describeService()), source: 'spec/annotation.openapi.yaml and spec/workspace.openapi.yaml' },
    control: { text: await describeControl(), ownServer: '', source: 'spec/control.openapi.yaml' },
  }
  for (const [name, module] of Object.entries(modules))
    files.push({ path: `packages/reference-server/src/generated/description-${name}.ts`, text: moduleOf(module) })
  const schema = JSON.stringify(policyJsonSchema(), null, 2)
  files.push({ path: 'packages/cli/svc.checks.schema.json', text: `${schema}\n` })
  return files
}

/** Docstrings as editors show them: the description alone, without a tag and without the format that it names. */
const withPlainDocs = (text: string): string =>
  text
    .replaceAll(/^ *\* Format: [\w-]+\n/gm, '')
    .replaceAll(/\/\*\* Format: [\w-]+ \*\/\n */g, '')
    .replaceAll('@description ', '')

/** A module with a text, which loads in every runtime. */
function moduleOf({ text, ownServer, source }: Record<'text' | 'ownServer' | 'source', string>): string {
  const literal = text.replaceAll(/[\\`]|\$\{/g, '\\$&')
  return `/** Generated from ${source} by \`pnpm generate\`; never edited. */
export const ownServer = ${JSON.stringify(ownServer)}
export const text = \`${literal}\`
`
}

/** The committed text of a file, '' if there is none. */
export const committed = (path: string): Promise<string> => readFile(new URL(path, root), 'utf8').catch(() => '')

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const { path, text } of await generated()) await writeFile(new URL(path, root), text)
}
