import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { cleanEnv, runProcess } from '../../helpers/own-service.js'

const root = mkdtempSync(join(tmpdir(), 'svc-folders-'))
const marker = join(root, 'ran')
beforeEach(() => rmSync(marker, { force: true }))
afterAll(() => rmSync(root, { recursive: true }))

/** A program that leaves a mark when it is run, as a module, a script, a shell script or a package. */
const mark = `require('node:fs').writeFileSync(${JSON.stringify(marker)}, 'ran')\n`
const planted: Record<string, string> = {
  'index.js': mark,
  'bin.cjs': mark,
  'main.cjs': mark,
  'main.js': mark,
  'package.json': JSON.stringify({ main: 'index.js', type: 'commonjs' }),
  'node_modules/commander/index.js': mark,
  'node_modules/libsql/index.js': mark,
  'node_modules/undici/index.js': mark,
  svc: `#!/bin/sh\n${process.execPath} -e ${JSON.stringify(mark)}\n`,
}

/** Plants the programs in a folder, and in the folders below it that earlier versions wrote code to. */
function plant(folder: string): void {
  for (const below of ['', 'cache', 'cache/compiled', 'compiled', 'state'])
    for (const [name, text] of Object.entries(planted)) {
      const path = join(folder, below, name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text, { mode: 0o700 })
    }
}

it('svc mock --data writes no code into its folder', async () => {
  const world = join(root, 'world')
  const { code } = await runProcess(['mock', '--data', world, '--', 'sh', '-c', 'svc health && svc health'], cleanEnv)
  expect(code).toBe(0)
  expect(existsSync(join(world, 'cache')) ? readdirSync(join(world, 'cache')) : []).toEqual([])
})

it('svc mock --data runs nothing that lies in its folder', async () => {
  const world = join(root, 'cloned')
  plant(world)
  const script = 'svc health && svc projects list && svc annotators list && svc config list'
  const { code, err } = await runProcess(['mock', '--data', world, '--', 'sh', '-c', script], cleanEnv, world)
  expect([code, err]).toEqual([0, ''])
  expect(existsSync(marker)).toBe(false)
})

it('SVC_CACHE_DIR and SVC_STATE_DIR lead to nothing that is run', async () => {
  const folder = join(root, 'carried')
  plant(folder)
  const transcript = [
    { role: 'user', content: 'Where is my order?' },
    { role: 'assistant', content: 'It was sent on Monday.' },
  ]
  writeFileSync(join(folder, 'transcript.json'), JSON.stringify(transcript))
  const own = `SVC_CACHE_DIR=${folder} SVC_STATE_DIR=${folder}`
  const script = `${own} svc check transcript.json --annotator structural && ${own} svc upload transcript.json`
  const { code } = await runProcess(['mock', '--', 'sh', '-c', script], cleanEnv, folder)
  expect(code).toBe(0)
  expect(existsSync(marker)).toBe(false)
})
