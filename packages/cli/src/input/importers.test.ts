import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { formatsIn } from './importers.js'

// Beside the folder of the tests, where the library may be found.
const folder = mkdtempSync(join(tmpdir(), '../svc-importer-'))
afterAll(() => rmSync(folder, { recursive: true }))

it('an importer that lacks what it imports names the library to install', async () => {
  const file = join(folder, 'importer.mjs')
  writeFileSync(file, "import 'a-package-that-is-not-there'")
  await expect(formatsIn([file], (path) => path)).rejects.toMatchObject({
    hint: 'install what it imports, such as by npm install @svc/transcripts',
    next: ['npm', 'install', '@svc/transcripts'],
  })
})

it('an importer without a default export is told what to export, and nothing to install', async () => {
  const file = join(folder, 'nothing.mjs')
  writeFileSync(file, '')
  await expect(formatsIn([file], (path) => path)).rejects.toMatchObject({
    hint: expect.stringMatching(/^export a format as the default/),
    next: undefined,
  })
})
