/**
 * Writes what the packages have of the spec: the types of both surfaces, and the description that the reference server
 * serves of itself; what a report of `svc check` runs in a browser, and the JSON schema of its policy file. `pnpm generate`
 * runs it; `test/spec.test.ts` proves that what is committed is what it would write.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import openapiTypescript, { astToString } from 'openapi-typescript'
import { policySchema } from '../packages/cli/src/check/policy/policy-schema.js'
import { appModule } from '../packages/report-viewer/bundle.js'
import { describeService, type Form } from './description.js'

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
  for (const [form, content] of Object.entries(await describeService())) {
    files.push({ path: `packages/reference-server/src/generated/description-${form}.ts`, text: moduleOf(content) })
  }
  files.push({ path: 'packages/report-viewer/src/generated/app.ts', text: await appModule() })
  const schema = JSON.stringify(policySchema(), null, 2)
  files.push({ path: 'packages/cli/svc.checks.schema.json', text: `${schema}\n` })
  return files
}

/** A module that carries one form of the description as text, so that it can be loaded wherever a module can. */
function moduleOf({ text, ownServer }: Form): string {
  const literal = text.replaceAll(/[\\`]|\$\{/g, '\\$&')
  const source = 'spec/annotation.openapi.yaml and spec/workspace.openapi.yaml'
  return `/** Generated from ${source} by \`pnpm generate\`; never edited. */
export const ownServer = ${JSON.stringify(ownServer)}
export const text = \`${literal}\`
`
}

/** What is committed at a path, or '' when nothing is. */
export const committed = (path: string): Promise<string> => readFile(new URL(path, root), 'utf8').catch(() => '')

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const { path, text } of await generated()) await writeFile(new URL(path, root), text)
}
