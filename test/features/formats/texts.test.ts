import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { zipOf } from '../../../packages/transcripts/test/fixtures/archives.js'
import { createShell } from '../../helpers/run-cli.js'

const chat = '31/12/2025, 21:05 - Customer: Where is it?\n31/12/2025, 21:06 - Bot: On its way.\n'
const files = {
  'in/README.md': '# Calls\n\nThe calls of this week.\n\n## User\n\nA user calls.\n',
  'in/notes.txt': 'Dear Ann,\nwhere is it?\n',
  'in/rows.txt': 'role,content\nuser,Hi\n',
  'in/a.md': '## User\n\nWhere is it?\n\n## Assistant\n\nOn its way.\n',
  'in/b.txt': 'User: Where is it?\nBot: On its way.\n',
  'in/.aider.chat.history.md': '# aider chat started at 2026-01-31 10:00:00\n\n#### Hi  \n',
}

describe('texts in a folder', () => {
  it('are read if they are transcripts, and all others are other files', async () => {
    const { svc } = createShell()
    const { code, lines, err } = await svc(['convert', 'in', '--verbose'], { files })
    expect(code).toBe(0)
    expect(lines().map(({ name, sourceSystem }) => `${sourceSystem} ${name}`)).toEqual([
      'markdown-chat a',
      'speaker-lines b',
    ])
    expect(err).not.toMatch(/unknown format|expected/)
    expect(err).toContain('3 other files skipped: in/README.md, in/notes.txt, in/rows.txt')
  })

  it('do not hide that a folder has no transcripts', async () => {
    const { svc } = createShell()
    const { code, err } = await svc(['convert', 'in'], { files: { 'in/README.md': files['in/README.md'] } })
    expect(code).not.toBe(0)
    expect(err).toContain('The directory in contains no transcripts.')
  })

  it('are read whatever they hold if they are named', async () => {
    const { svc } = createShell()
    const { lines } = await svc(['convert', 'in/.aider.chat.history.md', 'in/rows.txt'], { files })
    expect(lines().map(({ sourceSystem }) => sourceSystem)).toEqual(['aider', 'table'])
  })
})

it('svc convert reads a WhatsApp chat in the zip that the phone exports', async () => {
  const { svc, cwd } = createShell()
  mkdirSync(cwd, { recursive: true })
  const members = [
    { name: '_chat.txt', content: chat },
    { name: '1-PHOTO.jpg', content: 'x' },
  ]
  writeFileSync(join(cwd, 'chat.zip'), zipOf(...members))
  const { code, json } = await svc(['convert', 'chat.zip'])
  expect(code).toBe(0)
  expect(json().turns).toMatchObject([{ role: 'user', createdAt: '2025-12-31T21:05:00.000Z' }, { role: 'assistant' }])
})
