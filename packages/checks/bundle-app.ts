import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const pathTo = (file: string) => fileURLToPath(new URL(file, import.meta.url))

/** A module with the script and the style of the HTML report, and the hashes by which a Content-Security-Policy allows them. */
async function appModule(): Promise<string> {
  const [script, style] = await Promise.all([bundled('app/main.ts'), bundled('app/app.css')])
  if (/<\/(script|style)|<!--/i.test(script + style)) throw new Error('The bundle would end the element that holds it.')
  return `export const script = ${JSON.stringify(script)}
export const scriptHash = '${hashOf(script)}'
export const style = ${JSON.stringify(style)}
export const styleHash = '${hashOf(style)}'
`
}

async function bundled(entry: string): Promise<string> {
  const { outputFiles } = await build({
    ...{ entryPoints: [pathTo(entry)], bundle: true, minify: true, write: false, format: 'iife', target: 'es2022' },
    ...{ platform: 'browser', legalComments: 'none', charset: 'utf8', logLevel: 'error' },
    // The paths in the workspace's tsconfig are for its tests.
    tsconfigRaw: '{}',
  })
  return (outputFiles[0]?.text ?? '').trim()
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64')

writeFileSync(pathTo('src/generated/app.js'), await appModule())
