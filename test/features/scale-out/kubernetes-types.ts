import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)

/** The type errors of each pair of documents, by types that are generated from the OpenAPI description of Kubernetes. */
export function kubernetesComplaints(manifests: Record<string, [claim: unknown, job: unknown]>): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-manifest-'))
  try {
    const types = dirname(require.resolve('kubernetes-types/package.json'))
    for (const [name, [volume, work]] of Object.entries(manifests)) {
      const program = `
        import type { Job } from '${types}/batch/v1'
        import type { PersistentVolumeClaim } from '${types}/core/v1'
        export const claim: PersistentVolumeClaim = ${JSON.stringify(volume)}
        export const job: Job = ${JSON.stringify(work)}`
      writeFileSync(join(folder, `${name}.ts`), program)
    }
    const files = Object.keys(manifests).map((name) => `${name}.ts`)
    const tsc = join(dirname(require.resolve('ts7/package.json')), 'bin/tsc')
    const flags = ['--noEmit', '--strict', '--module', 'nodenext', ...files]
    return spawnSync(process.execPath, [tsc, ...flags], { cwd: folder, encoding: 'utf8' }).stdout
  } finally {
    rmSync(folder, { recursive: true })
  }
}
