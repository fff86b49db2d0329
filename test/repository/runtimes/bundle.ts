import { fileURLToPath } from 'node:url'
import { type BuildOptions, build } from 'esbuild'

const folder = fileURLToPath(new URL('.', import.meta.url))

/** The job for an application that has the client installed: its imports stay as they are. */
export const asProgram = (main: string, format: 'esm' | 'cjs' = 'esm'): Promise<string> =>
  bundled({ entryPoints: [`${folder}${main}`], format, platform: 'node', packages: 'external' })

/** The job in one file for a browser or a Worker, with the client as it is installed in `app`. */
export const asOneFile = async (main: string, app: string): Promise<string> =>
  bundled({ stdin: { contents: await asProgram(main), resolveDir: app }, format: 'esm', platform: 'browser' })

async function bundled(options: BuildOptions): Promise<string> {
  // Without this workspace's own tsconfig, whose paths lead to the sources.
  const common = { bundle: true, write: false, target: 'es2022', tsconfigRaw: {}, logLevel: 'silent' } as const
  const { outputFiles } = await build({ ...common, ...options })
  return outputFiles?.[0]?.text ?? ''
}
