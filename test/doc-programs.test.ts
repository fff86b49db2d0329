import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

it('every TypeScript program of README and docs compiles', () => {
  const cache = join(root, 'packages/client/node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'doc-programs-'))
  try {
    const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.md') && !/^(reference\/api|\.vitepress)/.test(path))
      .map((path) => `docs/${path}`)
    const packages = readdirSync(join(root, 'packages')).map((name) => `packages/${name}/README.md`)
    const pages = ['README.md', 'CONTRIBUTING.md', ...docs, ...packages]
    const programs = pages.flatMap((page) =>
      [...readFileSync(join(root, page), 'utf8').matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, text = ''], at) => ({
        file: `${page.replaceAll(/\W+/g, '-')}-${at + 1}.ts`,
        text,
      })),
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
