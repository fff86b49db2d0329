import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { blocksOf } from '../helpers/blocks.js'
import { pages, read, root } from '../helpers/page-files.js'

it('every TypeScript program of the pages compiles', () => {
  // From here all packages resolve, the optional peers of the client among them.
  const cache = join(root, 'packages/client/node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'programs-'))
  try {
    const programs = pages.flatMap((page) =>
      blocksOf(read(page), 'ts').map((text, at) => ({ file: `${page.replaceAll(/\W+/g, '-')}-${at + 1}.ts`, text })),
    )
    expect(programs.length).toBeGreaterThan(10)
    for (const { file, text } of programs) writeFileSync(join(folder, file), `${text}\nexport {}\n`)
    const compilerOptions = { noEmit: true, noUnusedLocals: false, noUnusedParameters: false }
    const config = { extends: join(root, 'tsconfig.json'), include: ['*.ts'], compilerOptions }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    const argv = [join(root, 'node_modules/ts7/bin/tsc'), '--pretty', 'false', '-p', folder]
    expect(spawnSync(process.execPath, argv, { cwd: folder, encoding: 'utf8' }).stdout).toBe('')
  } finally {
    rmSync(folder, { recursive: true })
  }
})
