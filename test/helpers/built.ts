import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Throw unless `build` has written the `dist` of a package. */
export function requireBuilt(name: string): void {
  if (existsSync(new URL(`../../packages/${name}/dist`, import.meta.url))) return
  throw new Error(`@svc/${name} is not built. Build first: npx --yes pnpm@12 build`)
}

requireBuilt('cli')
/** The built command. */
export const bin = fileURLToPath(new URL('../../packages/cli/bin/svc.js', import.meta.url))
