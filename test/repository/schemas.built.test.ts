import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const client = join(root, 'packages/client')
const folder = mkdtempSync(join(tmpdir(), 'svc-schemas-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** An application that has installed the client and, of what it can use, these. */
function application(name: string, libraries: string[]): string {
  const app = join(folder, name)
  const installed = join(app, 'node_modules/@svc/client')
  mkdirSync(installed, { recursive: true })
  for (const part of ['package.json', 'dist']) cpSync(join(client, part), join(installed, part), { recursive: true })
  for (const library of libraries) {
    symlinkSync(realpathSync(join(client, 'node_modules', library)), join(app, 'node_modules', library))
  }
  return app
}
const withZod = application('with-zod', ['openapi-fetch', 'zod'])
const withoutZod = application('without-zod', ['openapi-fetch'])

// The package manager's own NODE_PATH would lend an application what it has not installed.
const { NODE_PATH: _, ...env } = process.env
const node = (cwd: string, ...args: string[]) => spawnSync(process.execPath, args, { cwd, env, encoding: 'utf8' })
const imported = (from: string) => [
  '--input-type=module',
  '-e',
  `import * as all from '${from}'; console.log(Object.keys(all).length > 9)`,
]
const required = (from: string) => ['-e', `console.log(Object.keys(require('${from}')).length > 9)`]

const readme = /^## Schemas\n[\s\S]*?^## /m.exec(readFileSync(join(client, 'README.md'), 'utf8'))?.[0] ?? ''
const [program = '', shown = ''] = /^```ts\n([\s\S]*?)^```\n\n^```text\n([\s\S]*?)^```/m.exec(readme)?.slice(1) ?? []

describe('@svc/client/zod', () => {
  it('@svc/client/zod is there for import and for require, with the same schemas', () => {
    const comparison = `import * as imported from '@svc/client/zod'
      import { createRequire } from 'node:module'
      const required = createRequire(import.meta.url)('@svc/client/zod')
      const valid = (all) => Object.keys(all).filter((name) => all[name].safeParse instanceof Function).sort().join()
      console.log(valid(imported) === valid(required), valid(imported).split(',').length > 30)`
    expect(node(withZod, '--input-type=module', '-e', comparison).stdout).toBe('true true\n')
  })

  it('@svc/client/zod is left alone by the client, which works where there is no zod', () => {
    for (const args of [imported('@svc/client'), required('@svc/client')]) {
      expect(node(withoutZod, ...args)).toMatchObject({ stdout: 'true\n', stderr: '' })
    }
    for (const args of [imported('@svc/client/zod'), required('@svc/client/zod')]) {
      expect(node(withoutZod, ...args).stderr).toMatch(/Cannot find (package|module) 'zod'/)
    }
  })

  it('@svc/client/zod goes into a bundle that asks for it, and into no other', async () => {
    const bundle = async (from: string) => {
      const contents = `import * as all from '${from}'; console.log(Object.keys(all).length > 9)`
      const stdin = { contents, resolveDir: withZod }
      const { metafile, outputFiles } = await build({
        stdin,
        bundle: true,
        write: false,
        metafile: true,
        format: 'esm',
        outdir: folder,
      })
      const file = join(folder, `${from.replaceAll('/', '-')}.mjs`)
      writeFileSync(file, outputFiles[0]?.text ?? '')
      expect(execFileSync(process.execPath, [file], { encoding: 'utf8' })).toBe('true\n')
      return Object.keys(metafile.inputs).some((path) => path.includes('/zod/v4/'))
    }
    expect([await bundle('@svc/client'), await bundle('@svc/client/zod')]).toEqual([false, true])
  })

  it('@svc/client/zod has an example in the README that compiles and prints what stands below it', () => {
    const file = join(withZod, 'program.mts')
    writeFileSync(file, program)
    expect(shown).not.toBe('')
    const strictly = ['--strict', '--noEmit', '--module', 'nodenext', '--skipLibCheck', '--lib', 'es2023,dom']
    expect(node(withZod, join(root, 'node_modules/ts7/bin/tsc'), ...strictly, file).stdout).toBe('')
    expect(node(withZod, '--import', import.meta.resolve('tsx'), file)).toMatchObject({ stdout: shown, stderr: '' })
  })
})
