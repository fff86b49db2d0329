import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { blocksOf } from '../../helpers/blocks.js'
import { createShell } from '../../helpers/run-cli.js'

const page = readFileSync('docs/guides/conversations-for-the-gate.md', 'utf8')

it('the program of the guide records conversations, and the gate reads them', async () => {
  const { svc, cwd } = createShell()
  const [program = ''] = blocksOf(page, 'js')
  writeFileSync(join(cwd, 'record.mjs'), program)
  execFileSync(process.execPath, ['record.mjs'], { cwd })
  const commands = blocksOf(page, 'sh').flatMap((block) => block.match(/^svc check recorded.*$/gm) ?? [])
  expect(commands).toHaveLength(1)
  for (const command of commands) {
    const { code, out, err } = await svc(command.split(' ').slice(1))
    expect([code, err]).toEqual([0, expect.any(String)])
    expect(out).toContain('2 transcripts from 2 files')
  }
})

it('the export of the guide is redacted, converted and checked', async () => {
  const { svc } = createShell()
  const [block = ''] = blocksOf(page, 'sh')
  const [, exported = ''] = /^echo '(.*)' > export\.jsonl$/m.exec(block) ?? []
  const files = { 'export.jsonl': exported, 'conversations/.keep': '' }
  for (const command of block.match(/^svc .*$/gm) ?? []) {
    const { code, err } = await svc(command.split(' ').slice(1), { files })
    expect([command, code, err]).toEqual([command, 0, expect.any(String)])
  }
})
