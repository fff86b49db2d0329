import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { blocksOf } from '../../helpers/blocks.js'
import { mockServiceOfCalls } from '../../helpers/mock-service.js'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const page = readFileSync(join(root, 'docs/guides/upload-from-a-running-app.md'), 'utf8')
const [app = '', withId = '', withOnce = '', ...others] = blocksOf(page, 'js')
const [commands = ''] = blocksOf(page, 'sh')

// The packages resolve from here.
const cache = join(root, 'node_modules/.cache')
mkdirSync(cache, { recursive: true })
const folder = mkdtempSync(join(cache, 'upload-guide-'))
afterAll(() => rmSync(folder, { recursive: true }))

let service: Awaited<ReturnType<typeof mockServiceOfCalls>>
beforeAll(async () => {
  service = await mockServiceOfCalls()
})
afterAll(() => service.close())

it('the app of the guide uploads each call once, and says at its second run that they are stored', async () => {
  const project = await service.createProject('guide')
  writeFileSync(join(folder, 'app.mjs'), app)
  const { code, out, err } = await service.run(['sh', '-e', '-c', commands], folder, { SVC_PROJECT: project })
  expect([code, err]).toEqual([0, ''])
  const said = out.trim().split('\n').sort()
  const both = (result: string) => [`${result} Call 7`, `${result} Call 8`]
  expect(said).toEqual([...both('already_uploaded'), ...both('uploaded')])
  expect((await service.stored(project)).sort()).toEqual(['Call 7', 'Call 8'])
})

it('an id of the guide is the same in the uploader and in once', async () => {
  expect(others).toEqual([])
  const project = await service.createProject('ids')
  const program = `
    import { createUploader } from '@svc/bulk'
    import { createClient } from '@svc/client'
    const [svc, project, job] = [createClient(), process.env.SVC_PROJECT, { id: 'call-7' }]
    const turns = [{ role: 'user', content: 'Where is order 7?' }]
    const conversation = { name: 'Call 7', turns, sourceTimestamp: '2026-01-01T10:00:00Z' }
    const uploader = createUploader({ client: svc, project, ledger: './ids' })
    ${withId}
    await uploader.flush()
    await uploader.close()
    ${withOnce}
    console.log(id)
  `
  writeFileSync(join(folder, 'ids.mjs'), program)
  const ended = await service.run([process.execPath, 'ids.mjs'], folder, { SVC_PROJECT: project })
  expect(ended).toMatchObject({ code: 0, out: expect.stringMatching(/^tr_\S+\n$/) })
  expect(await service.stored(project)).toEqual(['Call 7'])
})
