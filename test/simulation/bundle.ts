import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'

export const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = join(root, 'node_modules/.cache/simulation')

/**
 * The simulator as one file. In it an `import()` takes no time: a loader of modules would use threads and files while a
 * world waits for it. Resolves with the path of the file.
 */
export async function bundled(name: string, plugins: Plugin[] = []): Promise<string> {
  mkdirSync(folder, { recursive: true })
  const outfile = join(folder, `${name}.mjs`)
  await build({
    ...{ entryPoints: [join(root, 'test/simulation/simulate.ts')], outfile, bundle: true, logLevel: 'error' },
    ...{ platform: 'node', format: 'esm', target: 'node20', tsconfig: join(root, 'tsconfig.json') },
    external: ['undici', 'libsql', 'msw', 'openapi-fetch', '@opentelemetry/api', 'jiti', 'ora'],
    // For what is CommonJS.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url)",
    },
    plugins,
  })
  return outfile
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = await bundled('simulate')
  const { status } = spawnSync(process.execPath, [file, ...process.argv.slice(2)], { stdio: 'inherit' })
  process.exitCode = status ?? 1
}
