import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Job } from 'kubernetes-types/batch/v1'
import type { PersistentVolumeClaim } from 'kubernetes-types/core/v1'
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { mockServiceOfCalls, namesOf } from '../../helpers/mock-service.js'
import { kubernetesComplaints } from './kubernetes-types.js'
import { leaveLock } from './left-lock.js'

const manifest = new URL('../../../examples/scale-out/upload.job.yaml', import.meta.url)
const documents = parseAllDocuments(readFileSync(manifest, 'utf8')).map((document) => document.toJS())
const [claim, job] = documents as [PersistentVolumeClaim, Job]
const spec = job.spec ?? expect.fail()
const [container = expect.fail()] = spec.template.spec?.containers ?? []

/** The action of Kubernetes on an index whose pod exits with this code. */
function actionOn(code: number): string {
  const rule = spec.podFailurePolicy?.rules.find(({ onExitCodes }) => {
    if (onExitCodes?.containerName !== container.name) return false
    return onExitCodes.values.includes(code) === (onExitCodes.operator === 'In')
  })
  return rule?.action ?? 'Count'
}

describe('examples/scale-out/upload.job.yaml', () => {
  it('examples/scale-out/upload.job.yaml has the fields that Kubernetes knows, and no others', () => {
    const said = kubernetesComplaints({
      manifest: [claim, job],
      misspelt: [claim, { ...job, spec: { ...spec, complitions: 8 } }],
      mistyped: [{ ...claim, spec: { accessModes: 'ReadWriteMany' } }, job],
    })
    expect(said.match(/^\w+\.ts.*/gm)).toEqual([
      expect.stringMatching(/^misspelt.*complitions/),
      expect.stringMatching(/^mistyped.*'string' is not assignable to type 'string\[\]'/),
    ])
  })

  it('examples/scale-out/upload.job.yaml has the combinations of fields that Kubernetes requires', () => {
    expect([spec.completionMode, spec.podReplacementPolicy, spec.template.spec?.restartPolicy]).toEqual([
      'Indexed',
      'Failed',
      'Never',
    ])
    expect(container.env).toContainEqual({ name: 'JOB_COMPLETIONS', value: String(spec.completions) })
    const claims = spec.template.spec?.volumes?.map(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName)
    expect(claims).toContain(claim.metadata?.name)
    const mounted = container.volumeMounts?.map(({ name }) => name)
    expect(spec.template.spec?.volumes?.map(({ name }) => name)).toEqual(mounted)
  })

  it('runs an index again where that helps, and fails all of them where every pod would fail', () => {
    const actions = [2, 3, 4, 5, 6, 8, 1, 10, 75, 137, 143].map((code) => [code, actionOn(code)])
    expect(Object.fromEntries(actions)).toEqual({
      ...{ 2: 'FailJob', 3: 'FailJob', 4: 'FailJob', 5: 'FailJob', 6: 'FailIndex', 8: 'FailIndex' },
      ...{ 1: 'Count', 10: 'Count', 75: 'Count', 137: 'Count', 143: 'Count' },
    })
  })

  it('stores each transcript once, with pods as the Job starts them again', async () => {
    const service = await mockServiceOfCalls(
      ...['--fault', 'transcripts.upload: status; code=429; retry-after=3600; times=2'],
      ...['--fault', 'transcripts.upload: lost; skip=4; times=2'],
    )
    try {
      const volumes = Array.from({ length: spec.completions ?? 0 }, (_, index) => service.workplace(`${index}`, 30))
      const given = Object.fromEntries(container.env?.map(({ name, value = '' }) => [name, value]) ?? [])
      const pod = (cwd: string, index: number, more = {}) =>
        service.run(container.command ?? [], cwd, { ...given, JOB_COMPLETION_INDEX: String(index), ...more })
      const codes = await Promise.all(
        volumes.map(async (cwd, index) => {
          const { code } = await pod(cwd, index)
          if (!code || actionOn(code) !== 'Count') return [code]
          leaveLock(join(cwd, 'ledger'))
          return [code, (await pod(cwd, index)).code]
        }),
      )
      expect(codes.map((each) => each.at(-1))).toEqual(volumes.map(() => 0))
      expect(new Set(codes.flat())).toEqual(new Set([0, 75]))
      expect(await service.stored()).toEqual(namesOf(30))

      // As the page says: the files of all shards in one folder are read as one ledger.
      const all = join(service.folder, 'all')
      mkdirSync(all)
      for (const ledger of volumes.map((cwd) => join(cwd, 'ledger'))) {
        for (const file of readdirSync(ledger)) copyFileSync(join(ledger, file), join(all, file))
      }
      const listed = await service.run(['svc', 'uploads', 'list', '--ledger', 'all', '--all', '--json'], service.folder)
      expect(listed.out.match(/"state":"done"/g)).toHaveLength(30)
    } finally {
      await service.close()
    }
  })
})
