import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const entry = (path: string) => fileURLToPath(new URL(`../packages/cli/src/reports/viewer/${path}`, import.meta.url))

/** A module that carries the script and the style of the HTML report, and what a policy of a page knows them by. */
export async function viewerModule(): Promise<string> {
  const [script, style] = await Promise.all([bundled('main.ts'), bundled('viewer.css')])
  if (/<\/(script|style)|<!--/i.test(script + style))
    throw new Error('The viewer would end the page that it stands in.')
  return `/** Generated from packages/cli/src/reports/viewer by \`pnpm generate\`; never edited. */
export const script = ${JSON.stringify(script)}
export const scriptHash = '${hashOf(script)}'
export const style = ${JSON.stringify(style)}
export const styleHash = '${hashOf(style)}'
`
}

async function bundled(path: string): Promise<string> {
  const { outputFiles } = await build({
    ...{ entryPoints: [entry(path)], bundle: true, minify: true, write: false, format: 'iife', target: 'es2022' },
    ...{ platform: 'browser', legalComments: 'none', charset: 'utf8', logLevel: 'error' },
    // Without this workspace's own tsconfig, whose paths lead to the sources.
    tsconfigRaw: '{}',
  })
  return (outputFiles[0]?.text ?? '').trim()
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64')
