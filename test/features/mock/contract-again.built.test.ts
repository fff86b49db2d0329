import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { cleanEnv, runProcess } from '../../helpers/own-service.js'

const folder = mkdtempSync(join(tmpdir(), 'svc-contract-'))
afterAll(() => rmSync(folder, { recursive: true, maxRetries: 3 }))

it('a mock that starts like a measured service is the same to a second measurement, over HTTP', async () => {
  const file = join(folder, 'service.json')
  const svc = (...args: string[]) => runProcess(args, cleanEnv)
  const readings = ['rowFields=names', 'created=202', 'errorBody=detail'].flatMap((reading) => ['--ambiguity', reading])
  const measured = await svc('mock', ...readings, '--', 'svc', 'contract', '--yes', '--save', file)
  expect([measured.code, measured.out], measured.err).toEqual([0, expect.stringContaining('rowFields: names\n')])
  expect(JSON.parse(readFileSync(file, 'utf8')).ambiguities.created).toEqual({ reading: 202 })
  const same = await svc('mock', '--like', file, '--', 'svc', 'contract', '--yes', '--against', file)
  expect([same.code, same.out], same.err).toEqual([0, expect.stringMatching(/^same: /)])
  const other = await svc('mock', '--', 'svc', 'contract', '--yes', '--against', file)
  expect([other.code, other.out], other.err).toEqual([100, expect.stringContaining('different: created')])
}, 120_000)
