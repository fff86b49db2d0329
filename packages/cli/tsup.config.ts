import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cyclonedxEsbuildPlugin } from '@cyclonedx/cyclonedx-esbuild'
import type { Metafile, Plugin } from 'esbuild'
import { defineConfig } from 'tsup'

/** Write the licences of the libraries in the bundle beside it, which each of them asks for. */
const notices: Plugin = {
  name: 'third-party-notices',
  setup: ({ onEnd }) =>
    onEnd(({ metafile }) => {
      if (!metafile) return
      mkdirSync('dist', { recursive: true })
      writeFileSync('dist/THIRD-PARTY-NOTICES.txt', noticesOf(metafile))
    }),
}

/** List the libraries in the bundle for scanners, which cannot see them in a package without dependencies. */
const bom = cyclonedxEsbuildPlugin({ outputFile: 'bom.cdx.json', outputReproducible: true })

/** The notices for code that a library contains in its own bundle. */
const contained: Record<string, string> = {
  jiti: 'It contains parts of Babel under the same licence, Copyright (c) 2014-present Sebastian McKenzie and other contributors.',
}

function noticesOf({ inputs }: Metafile): string {
  const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/
  const folders = new Set(Object.keys(inputs).flatMap((path) => folder.exec(path)?.[0] ?? []))
  const sections = [...folders].map((path) => {
    const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))
    const file = ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'license', 'LICENCE'].find((each) =>
      existsSync(join(path, each)),
    )
    if (file === undefined) throw new Error(`${name} has no licence file`)
    const parts = contained[name] ? `\n\n${contained[name]}` : ''
    return `${name} ${version} (${license})\n\n${readFileSync(join(path, file), 'utf8').trim()}${parts}\n`
  })
  return sections.sort().join(`\n${'-'.repeat(80)}\n\n`)
}

/** One package without dependencies: everything is bundled, and what a command alone needs is a chunk of its own. */
export default defineConfig({
  entry: {
    bin: 'src/bin.ts',
    checks: '../checks/src/rules/checks.ts',
    'policy-worker': '../checks/src/rules/policy-worker.ts',
  },
  format: ['esm'],
  platform: 'node',
  target: 'es2022',
  splitting: true,
  // The stack in a bug report names functions and lines.
  minify: false,
  clean: true,
  dts: { entry: { checks: '../checks/.types/packages/checks/src/rules/checks.d.ts' } },
  esbuildPlugins: [notices, bom],
  // From their sources, so that a command loads what it uses of them, and their errors are those of the command.
  esbuildOptions(options) {
    const source = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))
    options.alias = {
      '@svc/bulk/node': source('bulk/src/node.ts'),
      '@svc/bulk/parts': source('bulk/src/parts.ts'),
      '@svc/bulk': source('bulk/src/index.ts'),
      '@svc/checks': source('checks/src/index.ts'),
    }
  },
  // libsql is native and optional: only `svc mock --data` uses it, where Node has no SQLite of its own.
  noExternal: [/^(?!libsql$)/],
})
